// Reads each column of an Arrow file as plain JavaScript values, and writes a file with columns that are made of these.
import { readFileSync, writeFileSync } from 'node:fs';
import { tableFromIPC, tableToIPC, vectorFromArray, Table } from 'apache-arrow';

function plain(value) {
  if (value === null || value === undefined) {
    return null;
  }
  if (typeof value === 'object' && !ArrayBuffer.isView(value) && !(value instanceof Date)) {
    if (typeof value.get === 'function' && typeof value.length === 'number') {
      return [...value].map(plain);
    }
    if (typeof value.toJSON === 'function') {
      return Object.fromEntries(Object.keys(value.toJSON()).map((key) => [key, plain(value[key])]));
    }
  }
  return value;
}

const [from, to, form] = process.argv.slice(2);
const table = tableFromIPC(readFileSync(from));
const columns = {};
for (const field of table.schema.fields) {
  columns[field.name] = vectorFromArray([...table.getChild(field.name)].map(plain), field.type);
}
writeFileSync(to, tableToIPC(new Table(columns), form));

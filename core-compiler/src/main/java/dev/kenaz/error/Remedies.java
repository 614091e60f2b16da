package dev.kenaz.error;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What helps against the faults of each code, where no more is known of the particular one. */
public final class Remedies {
  /** Told where a diagnostic has no hint of its own. */
  private static final Map<String, String> GENERAL =
      Map.ofEntries(
          Map.entry(
              "K0001",
              "names have ASCII letters, digits, `_` and `'`; anything else belongs in "
                  + "strings and comments"),
          Map.entry("K0002", "close it on the line where it begins; a line break is written `\\n`"),
          Map.entry(
              "K0003",
              "known are `\\n \\t \\r \\a \\b \\f \\v \\\\ \\\" \\'`, and code points as "
                  + "`\\65`, `\\x41` or `\\o101`"),
          Map.entry(
              "K0004",
              "write digits after `0x`, `0b` and `e`, and end a number only in the name of "
                  + "its type"),
          Map.entry("K0005", "write a string, `\"...\"`"),
          Map.entry("K0006", "move data from the program into data files"),
          Map.entry(
              "K0101",
              "look at what stands just before; often a `)`, an operand, or `in` is missing"),
          Map.entry("K0102", "name parts of the expression with `let`"),
          Map.entry("K0103", "leave out the comma, or write `()` for the empty tuple"),
          Map.entry("K0104", "end the `let`s with `in` and an expression"),
          Map.entry("K0105", "close the bracket, or remove the one that opens"),
          Map.entry("K0106", "define the name inside the module, without the module's name"),
          Map.entry("K0107", "complete the range: `a...b`, `a..<b`, `a..>b`"),
          Map.entry("K0110", "write the initial value: `loop pattern = initial for ...`"),
          Map.entry("K0111", "choose another name; longer operators that begin so are fine"),
          Map.entry("K1000", "mend the definition that this one uses"),
          Map.entry(
              "K1001",
              "define it before its use, or open or import the module that does; later "
                  + "definitions are not in scope"),
          Map.entry("K1002", "define or import the module before its use"),
          Map.entry(
              "K1003",
              "define it before its use; a type parameter is declared as `'a` in front of "
                  + "the parameters"),
          Map.entry("K1004", "define or import the module type before its use"),
          Map.entry("K1005", "remove one of the two"),
          Map.entry("K1006", "rename one of the two, or write `_` for what is not used"),
          Map.entry("K1007", "apply it first: `module m = f argument`"),
          Map.entry(
              "K1008",
              "rename one of the two; a local `let` may hide an outer name, a declaration "
                  + "may not"),
          Map.entry(
              "K1009", "a path is relative to the importing file and has no `.fut` at its end"),
          Map.entry("K1010", "move what both need to a third file that both import"),
          Map.entry("K1011", "rename it where it is bound; `_` is for what is not used"),
          Map.entry(
              "K1020", "apply the parametric module, or give the parameter a type `(p: t) -> u`"),
          Map.entry("K1021", "refine only types that the module type leaves abstract"),
          Map.entry(
              "K1022", "give the type as many size and type arguments as its declaration has"),
          Map.entry("K1023", "declare the abstract type as `type~` (sizes) or `type^` (functions)"),
          Map.entry("K1024", "apply the parametric module, or leave out the argument"),
          Map.entry("K1025", "define it in the module, or leave it out of the module type"),
          Map.entry("K1100", "check the path"),
          Map.entry("K1101", "store the file as UTF-8"),
          Map.entry("K1102", "check the file's permissions"),
          Map.entry("K1103", "fetch the file itself with `git lfs pull`"),
          Map.entry(
              "K2002", "a number's suffix is one of `i8` to `i64`, `u8` to `u64`, `f16` to `f64`"),
          Map.entry("K2005", "write the type where the name is bound: `(r: {x: i32})`, or `e : t`"),
          Map.entry("K2007", "give it type parameters: `let f 'a (x: a) = ...`"),
          Map.entry(
              "K2010",
              "only a type's name takes arguments; write parentheses around an array type "
                  + "that is one"),
          Map.entry(
              "K2011",
              "declare the type parameter as `'~a` or `'^a` where functions or hidden sizes "
                  + "are meant"),
          Map.entry("K2012", "give the type as many arguments as its declaration has parameters"),
          Map.entry("K2013", "a size argument stands in brackets, a type argument does not"),
          Map.entry("K2020", "check the name, or add the constructor to the type"),
          Map.entry("K2021", "give the pattern as many parts as the constructor has"),
          Map.entry("K2023", "write the record's type where it is bound"),
          Map.entry(
              "K2030",
              "an index takes away one dimension; leave out the indices that are too many"),
          Map.entry("K2041", "remove the case, or move it up"),
          Map.entry("K2042", "use `match` with a case for each form of the value"),
          Map.entry("K2050", "declare the type as `type~` (sizes) or `type^` (functions)"),
          Map.entry(
              "K2060", "write the types out, or add an entry point for each type that is needed"),
          Map.entry(
              "K2061", "declare it with `def`, and add an entry point at top level that calls it"),
          Map.entry("K2062", "make the size an ordinary parameter, `(n: i64)`"),
          Map.entry("K2063", "make the size an ordinary parameter, `(n: i64)`"),
          Map.entry("K2070", "give the function more parameters, so that it returns no function"),
          Map.entry("K2071", "pass the function parameters on as they are"),
          Map.entry("K2072", "write a function around the call, `\\x -> f 1 x`"),
          Map.entry("K2099", "name parts of the program, or split it into functions"),
          Map.entry("K2100", "write a number that fits, or another suffix"),
          Map.entry("K2101", "write another type, or a suffix"),
          Map.entry("K2103", "split the type into several, one the payload of another"),
          Map.entry(
              "K2110", "check the spelling and the place; docs/language.md lists what is known"),
          Map.entry("K3002", "give the loop's parameter a type with sizes that may change, `[]t`"),
          Map.entry("K3005", "bind the expression with `let` and use that name as size"),
          Map.entry("K3007", "compute first, by `let`, the value that has the size"),
          Map.entry("K3008", "write the type with its sizes"),
          Map.entry(
              "K3009",
              "use `|>` instead of composing; or leave the size open, `[]`, and coerce with "
                  + "`:>`"),
          Map.entry("K3010", "give the type a size parameter, or declare it as `type~`"),
          Map.entry("K3011", "use the size in the definition, or leave it out"),
          Map.entry("K3012", "make the size an ordinary parameter, `(n: i64)`"),
          Map.entry(
              "K3013", "make that part a parameter of its own, or coerce with `:>` in the body"),
          Map.entry("K3014", "add an array of that size that costs nothing: `[n]()`"),
          Map.entry(
              "K3015",
              "write the sizes of the loop's parameters, or coerce with `:>` inside the loop"),
          Map.entry("K3017", "make it a function: `val empty : () -> t`"),
          Map.entry("K3016", "give the value a size parameter: `val f [n] : [n]t -> t`"),
          Map.entry("K4001", "consume a `copy` where it was consumed"),
          Map.entry("K4002", "write `*` before the parameter's type, or consume a `copy`"),
          Map.entry("K4003", "return a `copy`"),
          Map.entry("K4004", "make it a parameter of the loop, or consume a `copy`"),
          Map.entry("K4005", "`copy` the new value"),
          Map.entry("K4006", "`copy` one of the two"),
          Map.entry("K4007", "return a `copy`, or leave out the `*` of the result"),
          Map.entry("K4008", "return a `copy`"),
          Map.entry("K4009", "give the function all its arguments at once, or a `copy`"),
          Map.entry(
              "K5001",
              "compare the index with the array's size: it runs from 0 to one less than that"),
          Map.entry(
              "K5002",
              "make sure that the condition holds for these inputs before this place is "
                  + "reached"),
          Map.entry(
              "K5003",
              "make sure that the divisor is not zero, as by `if y == 0 then ... else x / y`"),
          Map.entry("K5004", "use a float, or make sure that the exponent is not negative"),
          Map.entry("K5005", "make sure that the size is not negative, as by `i64.max 0 n`"),
          Map.entry(
              "K5006",
              "use smaller inputs, or fewer and smaller intermediate arrays; raise the limit with"
                  + " `-Dkenaz.memory`, on Spark with `spark.executor.memoryOverhead`"),
          Map.entry("K5007", "start Java with `--sun-misc-unsafe-memory-access=allow`"),
          Map.entry(
              "K5900", "give Java more memory, as by `KENAZ_JAVA_OPTS=-Xmx8g`, or use less data"),
          Map.entry(
              "K5008", "check that each call comes closer to the case that ends the recursion"),
          Map.entry("K5009", "remove the attribute: loops without it keep what they overwrite"),
          Map.entry("K5101", "see what `nvidia-smi` says, and try smaller inputs"),
          Map.entry("K6001", "empty arrays are written `empty([0]i32)`, tuples as several values"),
          Map.entry(
              "K6002", "write the suffix of a wider type; without one, an integer is an `i32`"),
          Map.entry("K6003", "give all rows equally many elements"),
          Map.entry("K6004", "give all elements the same suffix"),
          Map.entry("K6005", "write the data again; only version 2 of the binary format is known"),
          Map.entry("K6006", "the file was probably cut off: write it again"),
          Map.entry("K6007", "check the path and the file's permissions"),
          Map.entry("K6107", "convert the files to one schema, or read them one at a time"),
          Map.entry("K6109", "name the columns with `--columns`"),
          Map.entry("K6111", "make room on the disk, or choose another place"),
          Map.entry("K6112", "give the outputs equal lengths and different names"),
          Map.entry("K6122", "say what missing values mean"),
          Map.entry("K6123", "say whether there is a header"),
          Map.entry("K6124", "give a size that is positive and fits the memory"),
          Map.entry(
              "K6202",
              "see the names that exist with the commands `types`, `entry_points` and "
                  + "`inputs`"),
          Map.entry("K6203", "compare with what the entry point's `inputs` are"),
          Map.entry("K6204", "compare the index with the array's shape"),
          Map.entry("K6300", "see docs/tools.md for the form of test blocks"),
          Map.entry("K6301", "compare with the entry point's parameters"),
          Map.entry("K6302", "make the arguments' sizes agree with the types of the parameters"),
          Map.entry(
              "K6303",
              "check the name; only `entry` declarations and `main` of the file itself count"),
          Map.entry("K7502", "drop or repair these rows"),
          Map.entry("K8201", "reduce the value on the executors first"),
          Map.entry("K8203", "look for the cause in the executors' logs"),
          Map.entry("K9001", "split the program into smaller functions"));

  /** Told also after hints, which in these cases say more of what is wrong. */
  private static final Map<String, String> ALWAYS =
      Map.ofEntries(
          Map.entry("K1026", "change the definition of the type, or the module type"),
          Map.entry("K1027", "change the definition, or the module type"),
          Map.entry("K2003", "check the number of arguments and the parentheses around them"),
          Map.entry("K2004", "leave out arguments, or check the parentheses around them"),
          Map.entry(
              "K2006",
              "apply the function inside the branch or the loop, or choose between data "
                  + "instead of functions"),
          Map.entry("K2022", "check the name against the record's type"),
          Map.entry("K2040", "add the case, or a last one `case _ -> ...`"),
          Map.entry("K2001", "change the expression, or the type that is written for it"),
          Map.entry("K2102", "an array or a loop may do"),
          Map.entry(
              "K3001",
              "if the sizes are always equal, say so with `:>`, as in `xs :> [n]t`, which is "
                  + "checked when the program runs"),
          Map.entry("K3003", "if the sizes are always equal, coerce with `:>` in the module"));

  private Remedies() {}

  /** The codes that something general is known for. */
  public static Set<String> codes() {
    Set<String> codes = new TreeSet<>(GENERAL.keySet());
    codes.addAll(ALWAYS.keySet());
    return codes;
  }

  /** What to add to a diagnostic's own hints; empty if they say enough. */
  public static Optional<String> of(Diagnostic d) {
    // The author's own mistake is told already.
    if (d.hints().stream().anyMatch(h -> h.startsWith("did you "))) {
      return Optional.empty();
    }
    var always = ALWAYS.get(d.code());
    if (always != null) {
      return Optional.of(always).filter(r -> !d.hints().contains(r));
    }
    return d.hints().isEmpty() ? Optional.ofNullable(GENERAL.get(d.code())) : Optional.empty();
  }
}

-- Ranges whose ends or steps are farther apart than the largest number.
-- ==
-- entry: below
-- input { 9223372036854775805i64 9223372036854775807i64 } output { [9223372036854775805i64, 9223372036854775806i64] }
-- input { 9223372036854775807i64 -9223372036854775807i64 } error: Range .* is invalid
-- input { -9223372036854775807i64 9223372036854775807i64 } error:
-- input { -9223372036854775807i64 -9223372036854775806i64 } output { [-9223372036854775807i64] }
-- input { 3i64 3i64 } output { empty([0]i64) }
entry below (a: i64) (b: i64) = a..<b

-- ==
-- entry: above
-- input { 9223372036854775807i64 9223372036854775805i64 } output { [9223372036854775807i64, 9223372036854775806i64] }
-- input { -9223372036854775807i64 9223372036854775807i64 } error: Range .* is invalid
-- input { 9223372036854775807i64 -9223372036854775807i64 } error:
entry above (a: i64) (b: i64) = a..>b

-- ==
-- entry: stepped
-- input { 9223372036854775800i64 9223372036854775804i64 9223372036854775807i64 }
-- output { [9223372036854775800i64, 9223372036854775804i64] }
-- input { -9223372036854775807i64 9223372036854775807i64 -5i64 } output { [-9223372036854775807i64] }
-- input { -9223372036854775807i64 9223372036854775807i64 9223372036854775807i64 } error:
-- input { 9223372036854775807i64 -9223372036854775807i64 5i64 } output { [9223372036854775807i64] }
-- input { 1i64 3i64 9i64 } output { [1i64, 3i64, 5i64, 7i64, 9i64] }
-- input { 9i64 6i64 0i64 } output { [9i64, 6i64, 3i64, 0i64] }
-- input { 9i64 6i64 10i64 } error: Range .* is invalid
-- input { 9i64 9i64 9i64 } error: Range .* is invalid
entry stepped (a: i64) (b: i64) (c: i64) = a..b...c

-- ==
-- entry: unsigned
-- input { 18446744073709551613u64 18446744073709551615u64 }
-- output { [18446744073709551613u64, 18446744073709551614u64] }
-- input { 18446744073709551615u64 2u64 } error: Range .* is invalid
-- input { 2u64 18446744073709551615u64 } error:
entry unsigned (a: u64) (b: u64) = a..<b

-- ==
-- entry: bytes
-- input { -128i8 127i8 0i8 } output { [-128i8, 127i8] [-128i8] }
-- input { 127i8 -128i8 0i8 } error: Range .* is invalid
-- input { 121i8 123i8 126i8 } output { [121i8, 123i8, 125i8, 127i8] [121i8, 123i8, 125i8] }
entry bytes (a: i8) (b: i8) (c: i8) = (a..b...127, a..b..<c)

-- ==
-- entry: octets
-- input { 250u8 252u8 } output { [250u8, 252u8, 254u8] }
-- input { 255u8 252u8 } output { [255u8] }
-- input { 254u8 252u8 } error: Range .* is invalid
entry octets (a: u8) (b: u8) = a..b...255

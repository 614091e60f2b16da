-- | The floating-point components of a value of any type, as a vector, and back. An optimiser that
-- works on vectors can so train a model of any type.
--
-- The components are, one after the other: those of a record by the alphabet of its fields, those of
-- a tuple in order, the elements of an array of numbers in row-major order. An array of records or
-- tuples counts as a record or tuple of arrays. A value of a sum type has a place for each number
-- that any of its constructors needs, in the order of the alphabet; numbers of the same type in
-- different constructors share places, arrays don't. The places that the value's own constructor
-- doesn't need are 0, and what is put back there is ignored.
--
-- Components that have another type than the vector are converted: from `f64` to `f32` they are
-- rounded. Integers, truth values, constructors and sizes are no components. Functions can't be
-- among the parts of the value.
--
-- Where nothing is rounded, `unpack_f64 m (pack_f64 m)` is `m`, and `pack_f64 (unpack_f64 m v)` is
-- `v` but for the places that the constructors in `m` don't need.

-- | The components as numbers of type `f32`.
def pack_f32 'm : (like: m) -> ?[p].*[p]f32 = intrinsics.pack_f32

-- | A value that has these components, and whatever else `like` has. The vector must have as many
-- elements as `like` has components.
def unpack_f32 'm [p] : (like: m) -> (v: [p]f32) -> m = intrinsics.unpack_f32

-- | The components as numbers of type `f64`.
def pack_f64 'm : (like: m) -> ?[p].*[p]f64 = intrinsics.pack_f64

-- | As `unpack_f32`, of numbers of type `f64`.
def unpack_f64 'm [p] : (like: m) -> (v: [p]f64) -> m = intrinsics.unpack_f64

-- A type that may hold functions holds none when its argument is data.

module boxes = {
  type^ box '^a = #empty | #full a
  def get 'a (other: a) (b: box a) : a =
    match b
    case #full x -> x
    case #empty -> other
}

module type shop = {
  type item
  val count : i64
  val price : [count](boxes.box item)
  val zero : item
}

module total (s: shop) = {
  def prices : [s.count]s.item = map (boxes.get s.zero) s.price
}

module t = total {
  type item = i32
  def count = 3i64
  def price : [count](boxes.box item) = sized count [#full 4, #empty, #full 5]
  def zero = 0i32
}

type maybe = boxes.box i32
-- ==
-- entry: main
-- input { 2 } output { [6, 2, 7] }

entry main (k: i32) : []i32 = map (+ k) t.prices

-- ==
-- entry: functions
-- input { 2 } output { 3 }

entry functions (k: i32) : i32 =
  let b : {f: i32 -> i32, b: boxes.box i32} = {f = (+ 1), b = #empty}
  in b.f (boxes.get k b.b)

-- ==
-- entry: named
-- input { 1 } output { [1, 8] }

entry named (k: i32) : []i32 =
  let xs : [2]maybe = [#empty, #full 8]
  in map (boxes.get k) xs

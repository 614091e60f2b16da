-- Opening modules in expressions and declarations; nested modules; includes.
-- ==
-- entry: opened
-- input { 3i32 } output { 7i32 }

-- ==
-- entry: nested
-- input { 3i32 } output { 13i32 }

-- ==
-- entry: included
-- input { 3i32 } output { 5i32 }

-- ==
-- entry: sealed
-- input { 2i32 } output { 42i32 }

module m = {
  def k = 4i32
  def (+) (x: i32) (y: i32) = (i32.+) x y
  module inner = {
    def ten = 10i32
  }
}

entry opened (x: i32) = m.(x + k)
entry nested (x: i32) = m.inner.ten + x

module type has_one = { val one : i32 }
module type has_two = { include has_one val two : i32 }
module both : has_two = { def one = 1i32 def two = 2i32 def hidden = 3i32 }

entry included (x: i32) = both.one + both.two + (x - 1)
  |> (\y -> y)

module type table = {
  type^ table 'a
  val from : i32 -> table i32
  val get 'a : table a -> i32 -> a
}

module fun_table : table = {
  type^ table 'a = i32 -> a
  def from (x: i32) : table i32 = \y -> x * y
  def get 'a (t: table a) (i: i32) : a = t i
}

entry sealed (x: i32) = fun_table.get (fun_table.from 21) x

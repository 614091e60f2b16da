-- A type that a signature says hides a size: each parameter's size is the caller's.

module type words = {
  type~ word
  type mark
  val same : word -> word -> bool
  val joined : (word, mark) -> (word, mark) -> word
  val count : mark -> word -> word -> i64
}

module words : words with word = []u8 with mark = i64 = {
  type~ word = []u8
  type mark = i64
  def same (a: word) (b: word) =
    length a == length b && and (map2 (==) (sized (length a) a) (sized (length a) b))
  def joined (a: word, i: mark) (b: word, j: mark) : word = a[i:] ++ b[j:]
  def count (m: mark) (a: word) (b: word) = length a + length b - m
}

-- ==
-- entry: main
-- input { "abc" "bc" } output { false true "cbc" 4i64 }

entry main (a: []u8) (b: []u8) =
  (words.same a b, words.same (drop 1 a) b, words.joined (a, 2) (b, 0), words.count 1 a b)

-- ==
-- entry: twice
-- input { "abc" } output { true "abcc" }

entry twice (a: []u8) = (words.same a a, words.joined (a, 0) (a, 2))

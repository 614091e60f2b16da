import "double"

def triple (x: i32) = x + double x

package dev.kenaz.error;

import java.util.Optional;

/**
 * These are the faults that users are told of, each with what helps against it where no more is
 * known of the particular one. A code never changes; docs/errors.md has a section for each, where
 * some have what helps, as it takes more than a line.
 */
public enum ErrorCode {
  K0001(
      "names have ASCII letters, digits, `_` and `'`; anything else belongs in "
          + "strings and comments"),
  K0002("close it on the line where it begins; a line break is written `\\n`"),
  K0003(
      "known are `\\n \\t \\r \\a \\b \\f \\v \\\\ \\\" \\'`, and code points as "
          + "`\\65`, `\\x41` or `\\o101`"),
  K0004(
      "write digits after `0x`, `0b` and `e`, and end a number only in the name of " + "its type"),
  K0005("write a string, `\"...\"`"),
  K0006("move data from the program into data files"),
  K0101("look at what stands just before; often a `)`, an operand, or `in` is missing"),
  K0102("name parts of the expression with `let`"),
  K0103("leave out the comma, or write `()` for the empty tuple"),
  K0104("end the `let`s with `in` and an expression"),
  K0105("close the bracket, or remove the one that opens"),
  K0106("define the name inside the module, without the module's name"),
  K0107("complete the range: `a...b`, `a..<b`, `a..>b`"),
  K0110("write the initial value: `loop pattern = initial for ...`"),
  K0111("choose another name; longer operators that begin so are fine"),
  K1000("mend the definition that this one uses"),
  K1001(
      "define it before its use, or open or import the module that does; later "
          + "definitions are not in scope"),
  K1002("define or import the module before its use"),
  K1003(
      "define it before its use; a type parameter is declared as `'a` in front of "
          + "the parameters"),
  K1004("define or import the module type before its use"),
  K1005("remove one of the two"),
  K1006("rename one of the two, or write `_` for what is not used"),
  K1007("apply it first: `module m = f argument`"),
  K1008("rename one of the two; a local `let` may hide an outer name, a declaration " + "may not"),
  K1009("a path is relative to the importing file and has no `.fut` at its end"),
  K1010("move what both need to a third file that both import"),
  K1011("rename it where it is bound; `_` is for what is not used"),
  K1020("apply the parametric module, or give the parameter a type `(p: t) -> u`"),
  K1021("refine only types that the module type leaves abstract"),
  K1022("give the type as many size and type arguments as its declaration has"),
  K1023("declare the abstract type as `type~` (sizes) or `type^` (functions)"),
  K1024("apply the parametric module, or leave out the argument"),
  K1025("define it in the module, or leave it out of the module type"),
  K1026(true, "change the definition of the type, or the module type"),
  K1027(true, "change the definition, or the module type"),
  K1100("check the path"),
  K1101("store the file as UTF-8"),
  K1102("check the file's permissions"),
  K1103("fetch the file itself with `git lfs pull`"),
  K2001(true, "change the expression, or the type that is written for it"),
  K2002("a number's suffix is one of `i8` to `i64`, `u8` to `u64`, `f16` to `f64`"),
  K2003(true, "check the number of arguments and the parentheses around them"),
  K2004(true, "leave out arguments, or check the parentheses around them"),
  K2005("write the type where the name is bound: `(r: {x: i32})`, or `e : t`"),
  K2006(
      true,
      "apply the function inside the branch or the loop, or choose between data "
          + "instead of functions"),
  K2007("give it type parameters: `let f 'a (x: a) = ...`"),
  K2010(
      "only a type's name takes arguments; write parentheses around an array type "
          + "that is one"),
  K2011(
      "declare the type parameter as `'~a` or `'^a` where functions or hidden sizes "
          + "are meant"),
  K2012("give the type as many arguments as its declaration has parameters"),
  K2013("a size argument stands in brackets, a type argument does not"),
  K2020("check the name, or add the constructor to the type"),
  K2021("give the pattern as many parts as the constructor has"),
  K2022(true, "check the name against the record's type"),
  K2023("write the record's type where it is bound"),
  K2030("an index takes away one dimension; leave out the indices that are too many"),
  K2040(true, "add the case, or a last one `case _ -> ...`"),
  K2041("remove the case, or move it up"),
  K2042("use `match` with a case for each form of the value"),
  K2050("declare the type as `type~` (sizes) or `type^` (functions)"),
  K2060("write the types out, or add an entry point for each type that is needed"),
  K2061("declare it with `def`, and add an entry point at top level that calls it"),
  K2062("make the size an ordinary parameter, `(n: i64)`"),
  K2063("make the size an ordinary parameter, `(n: i64)`"),
  K2070("give the function more parameters, so that it returns no function"),
  K2071("pass the function parameters on as they are"),
  K2072("write a function around the call, `\\x -> f 1 x`"),
  K2099("name parts of the program, or split it into functions"),
  K2100("write a number that fits, or another suffix"),
  K2101("write another type, or a suffix"),
  K2102(true, "an array or a loop may do"),
  K2103("split the type into several, one the payload of another"),
  K2110("check the spelling and the place; docs/language.md lists what is known"),
  K3001(
      true,
      "if the sizes are always equal, say so with `:>`, as in `xs :> [n]t`, which is "
          + "checked when the program runs"),
  K3002("give the loop's parameter a type with sizes that may change, `[]t`"),
  K3003(true, "if the sizes are always equal, coerce with `:>` in the module"),
  K3005("bind the expression with `let` and use that name as size"),
  K3007("compute first, by `let`, the value that has the size"),
  K3008("write the type with its sizes"),
  K3009("use `|>` instead of composing; or leave the size open, `[]`, and coerce with " + "`:>`"),
  K3010("give the type a size parameter, or declare it as `type~`"),
  K3011("use the size in the definition, or leave it out"),
  K3012("make the size an ordinary parameter, `(n: i64)`"),
  K3013("make that part a parameter of its own, or coerce with `:>` in the body"),
  K3014("add an array of that size that costs nothing: `[n]()`"),
  K3015("write the sizes of the loop's parameters, or coerce with `:>` inside the loop"),
  K3016("give the value a size parameter: `val f [n] : [n]t -> t`"),
  K3017("make it a function: `val empty : () -> t`"),
  K4001("consume a `copy` where it was consumed"),
  K4002("write `*` before the parameter's type, or consume a `copy`"),
  K4003("return a `copy`"),
  K4004("make it a parameter of the loop, or consume a `copy`"),
  K4005("`copy` the new value"),
  K4006("`copy` one of the two"),
  K4007("return a `copy`, or leave out the `*` of the result"),
  K4008("return a `copy`"),
  K4009("give the function all its arguments at once, or a `copy`"),
  K5001("compare the index with the array's size: it runs from 0 to one less than that"),
  K5002("make sure that the condition holds for these inputs before this place is " + "reached"),
  K5003("make sure that the divisor is not zero, as by `if y == 0 then ... else x / y`"),
  K5004("use a float, or make sure that the exponent is not negative"),
  K5005("make sure that the size is not negative, as by `i64.max 0 n`"),
  K5006(
      "use smaller inputs, or fewer and smaller intermediate arrays; raise the limit with"
          + " `-Dkenaz.memory`, on Spark with `spark.executor.memoryOverhead`"),
  K5007("start Java with `--sun-misc-unsafe-memory-access=allow`"),
  K5008("check that each call comes closer to the case that ends the recursion"),
  K5009("remove the attribute: loops without it keep what they overwrite"),
  K5101("see what `nvidia-smi` says, and try smaller inputs"),
  K5900("give Java more memory, as by `KENAZ_JAVA_OPTS=-Xmx8g`, or use less data"),
  K6001("empty arrays are written `empty([0]i32)`, tuples as several values"),
  K6002("write the suffix of a wider type; without one, an integer is an `i32`"),
  K6003("give all rows equally many elements"),
  K6004("give all elements the same suffix"),
  K6005("write the data again; only version 2 of the binary format is known"),
  K6006("the file was probably cut off: write it again"),
  K6007("check the path and the file's permissions"),
  K6101,
  K6102,
  K6103,
  K6104,
  K6105,
  K6106,
  K6107("convert the files to one schema, or read them one at a time"),
  K6108,
  K6109("name the columns with `--columns`"),
  K6110,
  K6111("make room on the disk, or choose another place"),
  K6112("give the outputs equal lengths and different names"),
  K6113("look at the options of the format in docs/spark.md"),
  K6114("try the query in Spark's own shell"),
  K6115,
  K6116("make the groups smaller"),
  K6117("let Kenaz copy the rows"),
  K6120,
  K6121,
  K6122("say what missing values mean"),
  K6123("say whether there is a header"),
  K6124("give a size that is positive and fits the memory"),
  K6125,
  K6130,
  K6131("make the dataset again, or copy it again"),
  K6132("leave out `--resume` to begin anew"),
  K6141("make the file again, or correct the line"),
  K6142("correct the line"),
  K6143("leave the column out, or choose another format"),
  K6201,
  K6202("see the names that exist with the commands `types`, `entry_points` and " + "`inputs`"),
  K6203("compare with what the entry point's `inputs` are"),
  K6204("compare the index with the array's shape"),
  K6210,
  K6300("see docs/tools.md for the form of test blocks"),
  K6301("compare with the entry point's parameters"),
  K6302("make the arguments' sizes agree with the types of the parameters"),
  K6303("check the name; only `entry` declarations and `main` of the file itself count"),
  K6304("compare with the entry point's `resultType`"),
  K6305("derivatives are taken by parameters that hold floats; see docs/embedding.md"),
  K7001,
  K7002,
  K7003,
  K7004,
  K7005,
  K7006,
  K7007,
  K7010,
  K7011,
  K7101,
  K7102,
  K7103,
  K7104,
  K7301,
  K7302,
  K7401,
  K7402,
  K7403,
  K7404,
  K7405,
  K7406,
  K7407,
  K7501,
  K7502("drop or repair these rows"),
  K7503,
  K7601,
  K7602,
  K7603,
  K7611,
  K8001,
  K8002,
  K8101,
  K8102,
  K8201("reduce the value on the executors first"),
  K8202,
  K8203("look for the cause in the executors' logs"),
  K8204,
  K8205,
  K8206,
  K8207,
  K8208,
  K8209,
  K8210,
  K8211,
  K9000,
  K9001("split the program into smaller functions");

  private final boolean always;
  private final String remedy;

  ErrorCode() {
    this("");
  }

  /** Told where a diagnostic has no hint of its own. */
  ErrorCode(String remedy) {
    this(false, remedy);
  }

  /**
   * @param always whether the remedy is told beside the diagnostic's own hints too
   */
  ErrorCode(boolean always, String remedy) {
    this.always = always;
    this.remedy = remedy;
  }

  /** Whether it is a fault that shows only when the program runs. */
  public boolean isOfRun() {
    return name().startsWith("K5");
  }

  /** Whether something general is known against such faults. */
  public boolean hasRemedy() {
    return !remedy.isEmpty();
  }

  /** What to add to a diagnostic's own hints; empty if they say enough. */
  public static Optional<String> remedy(Diagnostic d) {
    // The author's own mistake is told already.
    boolean told =
        d.hints().contains(d.code().remedy)
            || d.hints().stream().anyMatch(h -> h.startsWith("did you "));
    boolean wanted = d.code().always || d.hints().isEmpty();
    return Optional.of(d.code().remedy).filter(r -> !r.isEmpty() && wanted && !told);
  }
}

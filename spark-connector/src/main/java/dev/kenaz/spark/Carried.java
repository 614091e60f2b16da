package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serializable;

/**
 * Something that Spark carries between processes in the form that Java writes, whatever {@code
 * spark.serializer} says: Kryo, which many set, takes no records. What Spark carries as it is has
 * the same annotation.
 */
@DefaultSerializer(JavaSerializer.class)
record Carried<T>(T it) implements Serializable {}

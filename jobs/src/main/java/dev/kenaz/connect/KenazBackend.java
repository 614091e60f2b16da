package dev.kenaz.connect;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.apache.spark.ml.Estimator;
import org.apache.spark.sql.connect.plugin.MLBackendPlugin;

/**
 * Takes the estimators of Kenaz for those of MLlib, for all clients of a server of Spark Connect.
 * It is for {@code spark.connect.ml.backend.classes}.
 */
public final class KenazBackend implements MLBackendPlugin {
  private static final String OURS = "dev.kenaz.ml.";

  /** Our estimators, by the names of those of MLlib that they extend. */
  private static final Map<String, String> REPLACED =
      ServiceLoader.load(Estimator.class, KenazBackend.class.getClassLoader()).stream()
          .<Class<?>>map(ServiceLoader.Provider::type)
          .filter(type -> type.getName().startsWith(OURS))
          .filter(type -> !type.getSuperclass().equals(Estimator.class))
          .collect(Collectors.toMap(type -> type.getSuperclass().getName(), Class::getName));

  @Override
  public Optional<String> transform(String name) {
    return Optional.ofNullable(REPLACED.get(name));
  }
}

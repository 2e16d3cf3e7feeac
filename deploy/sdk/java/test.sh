#!/bin/sh
# test.sh: compiles the package and its tests, and runs them with Debian's junit5. With Maven
# and its registry, `mvn test` does the same.
set -eu
cd "$(dirname "$0")"
jars=/usr/share/java
for jar in junit-jupiter-api junit-jupiter-engine junit-platform-console; do
	[ -f "$jars/$jar.jar" ] || { echo "JUnit is missing: apt-get install junit5" >&2; exit 1; }
done
classpath=
for jar in junit-jupiter-api junit-jupiter-engine junit-platform-commons junit-platform-console junit-platform-engine junit-platform-launcher junit-platform-reporting \
	opentest4j opentest4j-reporting-events opentest4j-reporting-schema apiguardian-api picocli univocity-parsers; do
	classpath=$classpath:$jars/$jar.jar
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
javac -Xlint:all -Werror -encoding UTF-8 -d "$out/main" $(find src/main/java -name '*.java')
javac -Xlint:all,-processing,-path,-classfile -encoding UTF-8 -cp "$out/main$classpath" -d "$out/test" $(find src/test/java -name '*.java')
java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$out/main:$out/test$classpath" org.junit.platform.console.ConsoleLauncher --scan-classpath "$out/test" --disable-banner --details=summary

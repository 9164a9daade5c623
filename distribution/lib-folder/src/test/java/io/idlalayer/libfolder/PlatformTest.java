package io.idlalayer.libfolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlatformTest {
  /** Names as libraries have them, with the platforms that use them. */
  @ParameterizedTest
  @CsvSource({
    "librocksdbjni-linux64.so, linux-x86_64 any",
    "librocksdbjni-linux64-musl.so, any",
    "librocksdbjni-linux32.so, ''",
    "librocksdbjni-linux-aarch64.so, linux-arm64 any",
    "librocksdbjni-linux-aarch64-musl.so, any",
    "librocksdbjni-linux-ppc64le.so, ''",
    "librocksdbjni-osx-arm64.jnilib, any",
    "librocksdbjni-osx-x86_64.jnilib, any",
    "librocksdbjni-win64.dll, ''",
    "META-INF/native/libx_netty_transport_native_epoll_x86_64.so, linux-x86_64 any",
    "META-INF/native/libx_netty_transport_native_io_uring42_aarch_64.so, linux-arm64 any",
    "META-INF/native/libx_netty_transport_native_epoll_riscv64.so, ''",
    "META-INF/native/libx_netty_transport_native_kqueue_aarch_64.jnilib, any",
    "META-INF/native/libx_netty_resolver_dns_native_macos_x86_64.jnilib, any",
    "linux/amd64/libzstd-jni-1.5.6-10.so, linux-x86_64 any",
    "linux/aarch64/libzstd-jni-1.5.6-10.so, linux-arm64 any",
    "linux/arm/libzstd-jni-1.5.6-10.so, ''",
    "linux/i386/libzstd-jni-1.5.6-10.so, ''",
    "linux/s390x/libzstd-jni-1.5.6-10.so, ''",
    "linux/mips64/libzstd-jni-1.5.6-10.so, ''",
    "linux/loongarch64/libzstd-jni-1.5.6-10.so, ''",
    "aix/ppc64/libzstd-jni-1.5.6-10.so, ''",
    "freebsd/amd64/libzstd-jni-1.5.6-10.so, ''",
    "darwin/aarch64/libzstd-jni-1.5.6-10.dylib, any",
    "win/amd64/libzstd-jni-1.5.6-10.dll, ''",
    "org/xerial/snappy/native/Linux/x86_64/libsnappyjava.so, linux-x86_64 any",
    "org/xerial/snappy/native/Linux/x86/libsnappyjava.so, ''",
    "org/xerial/snappy/native/Linux/android-aarch64/libsnappyjava.so, ''",
    "org/xerial/snappy/native/Mac/aarch64/libsnappyjava.dylib, any",
    "org/xerial/snappy/native/Mac/x86/libsnappyjava.jnilib, ''",
    "org/xerial/snappy/native/AIX/ppc/libsnappyjava.a, ''",
    "org/xerial/snappy/native/SunOS/x86_64/libsnappyjava.so, ''",
    "net/jpountz/util/linux/amd64/liblz4-java.so, linux-x86_64 any",
    "linux-x64/libasyncProfiler.so, linux-x86_64 any",
    "linux-arm64/libasyncProfiler.so, linux-arm64 any",
    "macos/libasyncProfiler.so, any",
    "org/bytedeco/dnnl/linux-x86_64/libdnnl.so.3, linux-x86_64 any",
  })
  void uses_namesOfNativeLibraries(String entry, String expected) {
    assertThat(Platform.isNative(entry)).isTrue();
    assertThat(
            Arrays.stream(Platform.values())
                .filter(platform -> platform.uses(entry))
                .map(Platform::title))
        .containsExactly(expected.isEmpty() ? new String[0] : expected.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "org/rocksdb/RocksDB.class",
    "META-INF/native-image/jni-config.json",
    "a.solver",
    "b.so.txt"
  })
  void isNative_otherEntries(String entry) {
    assertThat(Platform.isNative(entry)).isFalse();
  }

  @Test
  void uses_nameWithoutSystem_isRefused() {
    assertThatThrownBy(() -> Platform.ANY.uses("native/libfast.so"))
        .hasMessageContaining("native/libfast.so")
        .hasMessageContaining("does not say which system");
  }

  @Test
  void of_unknownName_namesAll() {
    assertThat(Platform.of("linux-arm64")).isEqualTo(Platform.LINUX_ARM64);
    assertThatThrownBy(() -> Platform.of("windows"))
        .hasMessage("no platform is named windows: linux-x86_64, linux-arm64, any");
  }
}

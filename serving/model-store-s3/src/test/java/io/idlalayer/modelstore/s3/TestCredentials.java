package io.idlalayer.modelstore.s3;

/** Credentials where the SDK's default chain looks first. */
public final class TestCredentials {
  /** So that tests can look whether it is told anywhere. */
  public static final String SECRET = "a-secret-that-nobody-may-read";

  private TestCredentials() {}

  /** For this process. */
  public static void set() {
    System.setProperty("aws.accessKeyId", "AKIDTEST");
    System.setProperty("aws.secretAccessKey", SECRET);
  }
}

package io.idlalayer.testkit;

/** Credentials of an object store, where the AWS SDK looks first. */
public final class TestCredentials {
  /** Tests look for it in messages and logs, where it must not be. */
  public static final String SECRET = "a-secret-that-nobody-may-read";

  private TestCredentials() {}

  /** Sets credentials for this process. */
  public static void set() {
    System.setProperty("aws.accessKeyId", "AKIDTEST");
    System.setProperty("aws.secretAccessKey", SECRET);
  }
}

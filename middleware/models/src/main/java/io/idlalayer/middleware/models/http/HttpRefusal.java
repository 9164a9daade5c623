package io.idlalayer.middleware.models.http;

/**
 * The reason why a server refuses a request.
 *
 * @param status HTTP status
 * @param reason a sentence for the client
 */
public record HttpRefusal(int status, String reason) {}

package io.idlalayer.middleware.models.http;

/**
 * Why a server does not answer a request.
 *
 * @param status of HTTP
 * @param reason a sentence for the client
 */
public record HttpRefusal(int status, String reason) {}

package io.idlalayer.console.server;

/**
 * The answer to a refused request.
 *
 * @param error a sentence with the reason
 */
record Refusal(String error) {}

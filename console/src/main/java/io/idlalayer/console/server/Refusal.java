package io.idlalayer.console.server;

/**
 * The answer to a refused request.
 *
 * @param error the reason, as a sentence
 */
record Refusal(String error) {}

package io.idlalayer.console.server;

/**
 * A request was not answered as it was asked for.
 *
 * @param error a sentence that says why
 */
record Refusal(String error) {}

/** Rule bases in the Fuzzy Control Language (FCL): parser, engine and defuzzifiers. */
@NullMarked
package io.idlalayer.middleware.fuzzy.fcl;

import org.jspecify.annotations.NullMarked;

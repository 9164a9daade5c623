/** Commands that propose and check application files. */
@NullMarked
package io.idlalayer.jobs.cli.files;

import org.jspecify.annotations.NullMarked;

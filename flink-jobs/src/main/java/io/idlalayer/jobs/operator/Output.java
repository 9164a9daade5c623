package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.middleware.checkpoint.ModelNotice;

/** What a learner tells the world. */
interface Output {
  void decision(DecisionEvent event);

  void notice(ModelNotice notice);
}

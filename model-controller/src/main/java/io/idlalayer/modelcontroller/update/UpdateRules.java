package io.idlalayer.modelcontroller.update;

/** The registry of rules. */
final class UpdateRules {
  private UpdateRules() {}

  static UpdateRule of(UpdateSettings settings) {
    return switch (settings.rule()) {
      case DLA -> new DlaRule(settings.zeta());
      case AREA -> new AreaRule(settings.omega());
      case PERIODIC -> new BaselineRules.Periodic(settings.periodSeconds());
      case COUNT -> new BaselineRules.Count(settings.count());
      case CONTINUOUS -> new BaselineRules.Continuous();
    };
  }
}

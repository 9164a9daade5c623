/** Who serves the models of a learner: one as it should be, one that is silent, one that refuses versions. */
export function subscribersOf(learner, lastError = 'version 426 does not load: model.zip has 12 bytes, not 32,665') {
  const serving = learner.startsWith('avazu') ? 1102 : 422;
  const subscriber = (name, change = {}) => ({
    name,
    host: 'web.example',
    alias: '',
    version: serving,
    sinceMillis: 1795417011000,
    stalenessMillis: 120,
    stale: false,
    refused: 0,
    lastError: '',
    retired: 0,
    ageMillis: 4_000,
    silent: false,
    ...change,
  });
  return {
    readable: true,
    problem: '',
    more: false,
    subscribers: [
      subscriber('checkout-1'),
      subscriber('checkout-2', { ageMillis: 95_000, silent: true }),
      subscriber('trial-1', { alias: 'shadow', version: serving - 1, refused: 3, stalenessMillis: 61_000, lastError }),
    ],
  };
}

/** Models of a learner as the server answers them: two branches, one abandoned, one version pinned, one damaged. */
export function lineageOf(learner) {
  const base = learner.startsWith('avazu') ? 1100 : 420;
  const version = (step, parent, change = {}) => ({
    version: base + step,
    parent: parent === null ? base - 1 : base + parent,
    createdAtMillis: 1795417000000 + step * 1000,
    digest: (base + step).toString(16).padStart(64, '0'),
    bytes: 35_837 + step,
    files: [
      { name: 'model.zip', bytes: 32_664 + step, sha256: 'a'.repeat(64) },
      { name: 'spec.json', bytes: 761, sha256: 'b'.repeat(64) },
    ],
    attributes: { rule: 'adaptive', reason: 'waiting has cost 6.1 sample-seconds, an update costs 5.9' },
    abandoned: false,
    ...change,
  });
  return {
    folder: 'models',
    problem: '',
    current: base + 6,
    serving: base + 2,
    pin: { version: base + 2, reason: 'by hand: the newest ones look worse', by: 'somebody', atMillis: 1795417010000 },
    versions: [
      version(6, 5),
      version(5, 2),
      version(4, 3, { abandoned: true }),
      version(3, 2, { abandoned: true }),
      version(2, 1),
      version(1, 0, { damaged: 'model.zip has 12 bytes, not 32,665' }),
      version(0, null),
    ],
  };
}

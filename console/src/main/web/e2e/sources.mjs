/** Where the paths of numbers lead: to recorded or heard events, to answers of the console, to the application. */

/** Steps into an object; booleans are 0 and 1. */
export function at(object, path) {
  const value = path.split('.').reduce((inner, step) => inner?.[step], object);
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * @param known of a learner: `status` and `atMillis` of its newest event, all its `events` with a status, `updates` by
 *     number, `history`, `moves`, `notes`, `models`, `subscribers`, `letters`, `whatIf`, `capacity`, `plan`, `sample`, its `application`, its
 *     `rate` of events, and `now`; what no number needs may be absent
 * @returns gives the number at a path, or the list of numbers; undefined if there is none
 */
export function resolver(known) {
  return (path) => {
    const [root, second = '', ...rest] = path.split('.');
    const field = rest.join('.');
    switch (root) {
      case 'now':
        return known.now;
      case 'last':
        return known.atMillis;
      case 'rate(samples':
        return known.rate;
      case 'updates':
        return many(
          second,
          [...known.updates.values()],
          (update) => update.number,
          (update) => ofUpdate(update, field),
        );
      case 'published':
        return [...known.updates.values()].findLast((each) => each.published?.version === Number(second))?.published
          .atMillis;
      case 'history':
        return second.includes('to')
          ? pointsOf(known.history, second.split('to').map(Number), field)
          : statusAt(known, Number(second), field);
      case 'moves':
        return known.moves[path.slice('moves.'.length)] ?? 0;
      case 'notes':
        return /^\d+$/.test(second)
          ? at(
              known.notes.find((each) => each.atMillis === Number(second) && each.type === rest[0]),
              rest[1],
            )
          : known.notes.filter((each) => each.type === second).map((each) => at(each, field));
      case 'models':
        return ofModels(known.models, second, rest);
      case 'subscribers':
        return second === 'all'
          ? known.subscribers.subscribers.map((each) => at(each, field))
          : named(known.subscribers.subscribers, 'name', path);
      case 'letters':
        return ofLetters(known.letters, second, path, field);
      case 'whatif':
        return at(known.whatIf, path.slice('whatif.'.length));
      case 'capacity':
        return at(known.capacity, path.slice('capacity.'.length));
      case 'plan':
        return second === 'updateNumber' ? known.plan.updateNumber : at(known.plan.plan, path.slice('plan.'.length));
      case 'sample':
        return second === 'moves'
          ? at(known.sample.moves, field)
          : rest.length === 0
            ? at(known.sample.answer, second)
            : known.sample.answer[second][field];
      case 'application':
        return at(known.application, path.slice('application.'.length));
      default:
        return at(known.status, path);
    }
  };
}

/** Of one of them by its number, of `all`, or of a range such as 3to9. */
function many(which, all, numberOf, valueOf) {
  const [from, to] = which === 'all' ? [0, Infinity] : which.split('to').map(Number);
  const found = all.filter((each) => numberOf(each) >= from && numberOf(each) <= (to ?? from));
  return to === undefined ? found.map(valueOf)[0] : found.map(valueOf);
}

function ofUpdate(update, field) {
  const { firing, training } = update;
  if (field === 'began') {
    return firing.atMillis - (1000 * firing.grounds.charge.sampleSeconds) / firing.newSamples;
  }
  if (field === 'inside') {
    const { low, high } = firing.grounds.predicted;
    return training && Number(training.seconds >= low && training.seconds <= high);
  }
  return at(update, field);
}

/** The status that was said at that time; where several were, the last one. */
function statusAt(known, atMillis, field) {
  const event = known.events.findLast((each) => each.atMillis === atMillis);
  if (event) {
    return field === 'atMillis' ? atMillis : at(event.status, field);
  }
  return pointsOf(known.history, [atMillis, atMillis], field)[0];
}

function pointsOf({ atMillis, names, values }, [from, to], field) {
  const column = field === 'atMillis' ? atMillis : values[names.indexOf(field)];
  return column.filter((_, point) => atMillis[point] >= from && atMillis[point] <= to);
}

function ofModels(models, second, rest) {
  if (second === 'all') {
    return models.versions.map((each) => at(each, rest.join('.')));
  }
  if (!/^\d+$/.test(second)) {
    return at(models, [second, ...rest].join('.'));
  }
  const version = models.versions.find((each) => each.version === Number(second));
  const name = rest.slice(1).join('.');
  if (rest[0] === 'files') {
    return version?.files.find((file) => file.name === name)?.bytes;
  }
  return name === '' ? version?.[rest[0]] : version?.[rest[0]]?.[name];
}

/** Of the one whose name is between the root and the last step of the path, dots and all. */
function named(all, key, path) {
  const [, name, field] = /^\w+\.(.*)\.(\w+)$/.exec(path);
  return at(
    all.find((each) => each[key] === name),
    field,
  );
}

function ofLetters({ total, letters }, second, path, field) {
  if (path === 'letters.total') {
    return total;
  }
  if (second === 'kinds') {
    return kindsOf(letters)[Number(field)];
  }
  return second === 'all' ? letters.map((each) => at(each, field)) : named(letters, 'id', path);
}

/** How many letters have the same reason but for quoted text and numbers, most first. */
function kindsOf(letters) {
  const kinds = new Map();
  for (const { reason } of letters) {
    const kind = reason.replace(/'[^']*'|"[^"]*"/g, '').replace(/\d[\d,.]*/g, 'N');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds.values()].sort((a, b) => b - a);
}

import { useEffect, useState } from 'preact/hooks';
import type { View } from './view.ts';
import type { ModelVersion, Subscriber, VersionTable } from '../api/types.ts';
import { NBSP, bytes, count } from '../format/number.ts';
import { age, dateTime } from '../format/time.ts';
import { Card, Num, Quiet, Sign, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { DeedButton, type Question, REASON } from '../parts/writing.tsx';
import { type LineageRow, lineage } from '../store/lineage.ts';
import { heldPin } from '../store/pins.ts';
import { type TextParts, countedText } from '../store/textParts.ts';
import { Subscribers } from './Subscribers.tsx';

const ASK_EVERY_MILLIS = 5000;
const ROW = 45;
const LANE = 16;
const MOST_LANES = 5;
const SHOWN_DIGEST = 12;
const MOST_ATTRIBUTE = 4000;
const NOT_KNOWN = 'not known';
const UNREADABLE = 'count(models.all.version) - count(models.all.bytes)';
const ALIAS: Question = { label: 'Alias: letters, digits and dashes, the first one a letter', maxLength: 32 };

export function Models({ store, learner, nowMillis }: View) {
  const key = learner.key;
  const [open, setOpen] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const [following, setFollowing] = useState(true);
  const [frozen, setFrozen] = useState<VersionTable | null>(null);
  useEffect(() => {
    setFrozen(null);
    setFollowing(true);
    setOpen(null);
    void store.askModels(key);
    const timer = setInterval(() => void store.askModels(key), ASK_EVERY_MILLIS);
    return () => clearInterval(timer);
  }, [key]);
  const newest = store.models.get(key);
  const models = following ? newest : (frozen ?? newest);
  if (!newest || !models) {
    return store.link.state === 'recorded' ? (
      <Quiet>The report has no models.</Quiet>
    ) : (
      <Card title="Versions">
        <div class="skeleton tall" />
      </Card>
    );
  }
  const follow = (yes: boolean) => {
    setFollowing(yes);
    setFrozen(yes ? null : newest);
  };
  const again = () => void store.askModels(key);
  const pin = heldPin(newest);
  const unreadable = newest.versions.filter((version) => version.bytes === null).length;
  const reported = store.subscribers.get(key);
  return (
    <>
      {newest.problem !== '' && (
        <p class="problem" role="alert">
          {newest.problem}
        </p>
      )}
      <Card
        title="What serves"
        id="serving"
        aside={
          <div class="deeds">
            {pin && (
              <DeedButton
                store={store}
                label="Unpin"
                done={again}
                say={setSaid}
                deed={{
                  title: 'Unpin ' + key + '?',
                  explanation:
                    'Version ' +
                    count(newest.current) +
                    ', the current one, serves again at the next look of each subscriber.',
                  button: 'Unpin',
                  run: () => store.client.unpin(key),
                }}
              />
            )}
            <DeedButton
              store={store}
              label="Roll back"
              done={again}
              say={setSaid}
              deed={{
                title: 'Roll back ' + key + '?',
                explanation:
                  'The version before version ' +
                  count(newest.serving) +
                  ' that the last rollback did not leave is pinned and serves at the next look of each subscriber, until a newer version than the current one is published. The learner goes on training.',
                button: 'Roll back',
                asks: REASON,
                run: (reason) => store.client.rollback(key, reason),
              }}
            />
          </div>
        }
      >
        <Stats>
          <Stat label="Serving" large note={<TextWithNumbers words={servingWhy(newest)} of={key} />}>
            {newest.serving > 0 ? (
              <>
                v<Num value={newest.serving} path="models.serving" of={key} />
              </>
            ) : (
              'none yet'
            )}
          </Stat>
          <Stat label="Current" note="newest published">
            {newest.current > 0 ? (
              <>
                v<Num value={newest.current} path="models.current" of={key} />
              </>
            ) : (
              'none yet'
            )}
          </Stat>
          <Stat label="Stored">
            <TextWithNumbers
              words={countedText({ value: newest.versions.length, formula: 'count(models.all.version)' }, 'version')}
              of={key}
            />
          </Stat>
          <Stat
            label="On disk"
            note={
              unreadable > 0 ? (
                <TextWithNumbers
                  words={['without ', ...countedText({ value: unreadable, formula: UNREADABLE }, 'unreadable version')]}
                  of={key}
                />
              ) : (
                ''
              )
            }
          >
            <Num
              value={newest.versions.reduce((sum, version) => sum + (version.bytes ?? 0), 0)}
              format={bytes}
              formula="sum(models.all.bytes)"
              of={key}
            />
          </Stat>
        </Stats>
        <p class="said" role="status">
          {said}
        </p>
        {pin && (
          <p class="prose">
            Pinned{pin.by && ' by '}
            {pin.by}
            {pin.atMillis > 0 && ' at '}
            {pin.atMillis > 0 && (
              <Num value={pin.atMillis} format={dateTime} path="models.pin.atMillis" of={key} />
            )}: {pin.reason}. It holds until{' '}
            {pin.until ? (
              <>
                a version above <Num value={pin.until} path="models.pin.until" of={key} /> is published.
              </>
            ) : (
              'a person unpins it.'
            )}
          </p>
        )}
      </Card>
      {reported?.readable && (
        <Subscribers reported={reported} serving={newest.serving} nowMillis={nowMillis} of={key} />
      )}
      <Card
        title="Lineage"
        id="lineage"
        aside={
          <button type="button" aria-pressed={following} onClick={() => follow(!following)}>
            {following ? 'Following the newest' : 'Follow the newest'}
          </button>
        }
      >
        {models.versions.length === 0 ? (
          <Quiet>No version is stored yet.</Quiet>
        ) : (
          <Lineage
            view={{ store, learner, nowMillis }}
            models={models}
            reported={reported?.subscribers ?? []}
            open={open}
            setOpen={(version) => {
              setOpen(version);
              if (version !== null) {
                follow(false);
              }
            }}
            again={again}
            say={setSaid}
          />
        )}
      </Card>
    </>
  );
}

/** In words, why that version serves. */
export function servingWhy(models: VersionTable): TextParts {
  if (models.serving === 0) {
    return ['the first model is still to come'];
  }
  if (heldPin(models)) {
    return models.serving === models.current
      ? ['pinned, and the newest']
      : ['pinned; version ', { value: models.current, path: 'models.current' }, ' is newer'];
  }
  return [
    models.serving === models.current ? 'the newest published version' : 'not the newest, although nothing is pinned',
  ];
}

function Lineage(props: {
  view: Pick<View, 'store' | 'learner' | 'nowMillis'>;
  models: VersionTable;
  reported: Subscriber[];
  open: number | null;
  setOpen: (version: number | null) => void;
  again: () => void;
  say: (text: string) => void;
}) {
  const { view, models, open } = props;
  const { store, learner, nowMillis } = view;
  const key = learner.key;
  const rows = lineage(models.versions);
  const lanes = Math.min(MOST_LANES, 1 + Math.max(...rows.map((row) => row.lane)));
  const detailed = models.versions.find((version) => version.version === open);
  return (
    <>
      <TableBox label="Versions, newest first" class="lineage">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Lineage</span>
            </th>
            <th scope="col">Version</th>
            <th scope="col">Parent</th>
            <th scope="col">Created</th>
            <th scope="col">Bytes</th>
            <th scope="col">Digest</th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const { version } = row;
            const path = 'models.' + version.version + '.';
            return (
              <tr key={version.version} class={version.version === open ? 'chosen' : ''}>
                <td class="rail">
                  <Rail rows={rows} index={index} lanes={lanes} serving={version.version === models.serving} />
                </td>
                <th scope="row">
                  v<Num value={version.version} path={path + 'version'} of={key} />
                </th>
                <td>
                  {version.parent === null ? (
                    NOT_KNOWN
                  ) : version.parent > 0 ? (
                    <>
                      v<Num value={version.parent} path={path + 'parent'} of={key} />
                    </>
                  ) : (
                    'none'
                  )}
                </td>
                {version.createdAtMillis !== null ? (
                  <td title={dateTime(version.createdAtMillis)}>
                    <Num
                      value={version.createdAtMillis}
                      format={(at) => age((nowMillis - Number(at)) / 1000)}
                      path={path + 'createdAtMillis'}
                      of={key}
                    />{' '}
                    ago
                  </td>
                ) : (
                  <td>{NOT_KNOWN}</td>
                )}
                <td>
                  {version.bytes === null ? (
                    NOT_KNOWN
                  ) : (
                    <Num value={version.bytes} format={bytes} path={path + 'bytes'} of={key} />
                  )}
                </td>
                <td>
                  {version.digest === null ? (
                    NOT_KNOWN
                  ) : (
                    <code title={version.digest}>{version.digest.replace(/^sha256:?/, '').slice(0, SHOWN_DIGEST)}</code>
                  )}
                </td>
                <td class="lineage-state">
                  {stateSign(version, models)}
                  {servedBy(version.version, props.reported, key)}
                  {namesOf(version.version, models).map((name) => (
                    <span key={name} class="alias">
                      {name}
                      <DeedButton
                        store={store}
                        label="Remove"
                        describe={'Remove the alias ' + name + ' of version ' + count(version.version)}
                        done={props.again}
                        say={props.say}
                        deed={{
                          title: 'Remove the alias ' + name + ' of ' + key + '?',
                          explanation:
                            'No version has the name then. Subscribers that follow it keep the version that they serve.',
                          button: 'Remove',
                          run: () => store.client.removeAlias(key, name),
                        }}
                      />
                    </span>
                  ))}
                </td>
                <td>
                  <div class="row-deeds">
                    <button
                      type="button"
                      aria-expanded={version.version === open}
                      onClick={() => props.setOpen(version.version === open ? null : version.version)}
                    >
                      Manifest<span class="hidden"> of version {count(version.version)}</span>
                    </button>
                    {version.damaged === '' && (
                      <>
                        <DeedButton
                          store={store}
                          label="Pin"
                          describe={'Pin version ' + count(version.version)}
                          done={props.again}
                          say={props.say}
                          deed={{
                            title: 'Pin version ' + count(version.version) + ' of ' + key + '?',
                            explanation:
                              'It serves until a person unpins it, although newer versions are published. The learner goes on training.',
                            button: 'Pin',
                            asks: REASON,
                            run: (reason) => store.client.pin(key, version.version, reason),
                          }}
                        />
                        <DeedButton
                          store={store}
                          label="Alias"
                          describe={'Give version ' + count(version.version) + ' an alias'}
                          done={props.again}
                          say={props.say}
                          deed={{
                            title: 'Give version ' + count(version.version) + ' of ' + key + ' an alias?',
                            explanation:
                              'Subscribers that follow the name go to this version at their next look. A version that has the name loses it.',
                            button: 'Give the alias',
                            asks: ALIAS,
                            run: (name) => store.client.alias(key, name, version.version),
                          }}
                        />
                      </>
                    )}
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </TableBox>
      {detailed && <Manifest version={detailed} of={key} />}
    </>
  );
}

/** The aliases of a version, by name. */
export function namesOf(version: number, models: VersionTable): string[] {
  return Object.entries(models.aliases)
    .filter(([, alias]) => alias.version === version)
    .map(([name]) => name)
    .sort();
}

/** How many report to serve a version, if any do. */
function servedBy(version: number, reported: Subscriber[], of: string) {
  const number = reported.filter((each) => each.version === version).length;
  const formula = 'count(subscribers.all.version, ' + version + ', ' + version + ')';
  return (
    number > 0 && (
      <span class="quiet-line">
        {' in '}
        <Num value={number} formula={formula} of={of} />
        {NBSP + (number === 1 ? 'process' : 'processes')}
      </span>
    )
  );
}

function stateSign(version: ModelVersion, models: VersionTable) {
  if (version.damaged !== '') {
    return (
      <span title={version.damaged}>
        <Sign severity="bad" word="Damaged" />
      </span>
    );
  }
  if (version.version === models.serving) {
    return <Sign severity="good" word={heldPin(models) ? 'Serves, pinned' : 'Serves'} />;
  }
  if (version.descent === 'ABANDONED') {
    return <Sign severity="quiet" word="Abandoned" />;
  }
  if (version.descent === 'UNKNOWN') {
    return (
      <span class="quiet-line" title="A version between this one and the current one is not stored, or cannot be read.">
        descent unknown
      </span>
    );
  }
  return version.version === models.current ? (
    <Sign severity="quiet" word="Current" />
  ) : (
    <span class="quiet-line">ancestor</span>
  );
}

/** One row's part of the lineage: its dot, and the lines to parents that pass. */
function Rail(props: { rows: LineageRow[]; index: number; lanes: number; serving: boolean }) {
  const { rows, index, lanes } = props;
  const row = rows[index] as LineageRow;
  const x = (lane: number) => LANE / 2 + Math.min(lane, MOST_LANES - 1) * LANE;
  const middle = ROW / 2;
  const lines: string[] = [];
  rows.forEach((child, from) => {
    const to = child.parentRow;
    if (to < 0 || from > index || to < index) {
      return;
    }
    const parent = rows[to] as LineageRow;
    if (from < index && to > index) {
      lines.push(`M${x(child.lane)} 0V${ROW}`);
    } else if (from === index) {
      lines.push(`M${x(child.lane)} ${middle}V${ROW}`);
    } else {
      lines.push(
        child.lane === parent.lane
          ? `M${x(child.lane)} 0V${middle}`
          : `M${x(child.lane)} 0C${x(child.lane)} ${middle} ${x(parent.lane)} 0 ${x(parent.lane)} ${middle}`,
      );
    }
  });
  const gone = row.parentRow < 0 && row.version.parent !== 0;
  const color = row.version.descent === 'CURRENT' ? 'var(--accent)' : 'var(--quiet)';
  return (
    <svg width={lanes * LANE} height={ROW} aria-hidden="true">
      {lines.map((line) => (
        <path key={line} d={line} fill="none" stroke="var(--line-strong)" stroke-width="2" />
      ))}
      {gone && (
        <path
          d={`M${x(row.lane)} ${middle}V${ROW}`}
          stroke="var(--line-strong)"
          stroke-width="2"
          stroke-dasharray="2 4"
        />
      )}
      <circle
        cx={x(row.lane)}
        cy={middle}
        r={props.serving ? 6.5 : 4.5}
        fill={props.serving ? color : 'var(--surface)'}
        stroke={color}
        stroke-width="2"
      />
    </svg>
  );
}

function Manifest(props: { version: ModelVersion; of: string }) {
  const { version, of } = props;
  const path = 'models.' + version.version + '.';
  return (
    <section class="manifest" aria-label={'Manifest of version ' + count(version.version)}>
      <h3>
        Manifest of version <Num value={version.version} path={path + 'version'} of={of} />
      </h3>
      {version.damaged !== '' && <p class="problem">{version.damaged}</p>}
      {version.digest !== null && (
        <>
          <p class="digest">
            <span>Digest</span> <code>{version.digest}</code>
          </p>
          <TableBox label={'Files of version ' + count(version.version)}>
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">Bytes</th>
                <th scope="col">SHA-256</th>
              </tr>
            </thead>
            <tbody>
              {version.files.map((file) => (
                <tr key={file.name}>
                  <th scope="row">{file.name}</th>
                  <td>
                    <Num value={file.bytes} path={path + 'files.' + file.name} of={of} />
                  </td>
                  <td>
                    <code class="long">{file.sha256}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </TableBox>
          <dl class="attributes">
            {(['counts', 'metrics'] as const).flatMap((kind) =>
              Object.entries(version[kind]).map(([name, value]) => (
                <div key={kind + name}>
                  <dt>{name}</dt>
                  <dd>
                    <Num value={value} format={String} path={path + kind + '.' + name} of={of} />
                  </dd>
                </div>
              )),
            )}
            {Object.entries(version.attributes).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value.slice(0, MOST_ATTRIBUTE)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { NONE, count, known } from '../format/number.ts';
import type { Severity } from '../store/verdicts.ts';
import type { TextParts } from '../store/textParts.ts';

/**
 * A number with where it comes from: `path` names it inside the status of the learner `of`, or begins with one of
 *
 * - `updates.<number>.`, `published.<version>` (when it was), `moves.`, `notes.<atMillis>.<type>.`: what events said;
 * - `history.<atMillis>.`: the status at that time; `last.atMillis`: when the newest one was said; `now`;
 * - `models.<version>.`, `models.pin.`, `subscribers.<name>.`, `letters.<id>.`, `letters.kinds.<index>`, `sample.`,
 *   `whatif.`, `capacity.`, `plan.`: answers of the console;
 * - `application.`: what is configured.
 *
 * A number that the page computed has a `formula` instead: paths and numbers with + - * / and brackets, exp, sqrt, ceil,
 * min, max, and `rate(path)` for the change a second. Functions of lists are count(list), count(list, least, most),
 * sum(list), quantile(share, lists) and stretches(list, limit), how often a list goes above a limit. Lists are paths with
 * `all` or a range such as `3to9` in place of one update, time, version, subscriber or letter, and `notes.<type>.`. Of an
 * update there are also `began`, when its samples had come on average, and `inside`, 1 if its training took as long as
 * predicted. A time of day and an age have epoch milliseconds as their value. Tests compute all of it again, and read the
 * text.
 */
export function Num(props: {
  value: number | null | undefined;
  format?: (value: number | null | undefined) => string;
  path?: string;
  formula?: string;
  of?: string;
}) {
  const { value, format = count, path, formula, of } = props;
  if (!known(value)) {
    return <span class="num">{NONE}</span>;
  }
  return (
    <span class="num" data-value={String(value)} data-path={path} data-formula={formula} data-of={of}>
      {format(value)}
    </span>
  );
}

/** A text with its numbers as Num. */
export function TextWithNumbers(props: { words: TextParts; of: string }) {
  return <>{props.words.map((each) => (typeof each === 'string' ? each : <Num {...each} of={props.of} />))}</>;
}

export function Card(props: {
  title?: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
  id?: string;
}) {
  return (
    <section class={'card ' + (props.class ?? '')} aria-labelledby={props.id && props.title ? props.id : undefined}>
      {props.title && (
        <header class="card-head">
          <h2 id={props.id}>{props.title}</h2>
          {props.aside && <div class="aside">{props.aside}</div>}
        </header>
      )}
      {props.children}
    </section>
  );
}

/** A figure with its name above and a remark below. */
export function Stat(props: {
  label: ComponentChildren;
  children: ComponentChildren;
  note?: ComponentChildren;
  large?: boolean;
}) {
  return (
    <div class={'stat' + (props.large ? ' large' : '')}>
      <dt>{props.label}</dt>
      <dd>
        <span class="stat-value">{props.children}</span>
        {props.note !== undefined && <span class="stat-note">{props.note}</span>}
      </dd>
    </div>
  );
}

export function Stats(props: { children: ComponentChildren }) {
  return <dl class="stats">{props.children}</dl>;
}

/** A number of a status with its name. */
export interface Figure {
  label: string;
  path: string;
  value: number | undefined;
  format?: (value: number | null | undefined) => string;
  unit?: string;
  note?: ComponentChildren;
}

/** Numbers of a status side by side; those that are not there are left out. */
export function Figures(props: { figures: Figure[]; of: string }) {
  return (
    <Stats>
      {props.figures
        .filter(({ value }) => value !== undefined)
        .map(({ label, path, value, format, unit, note }) => (
          <Stat key={path} label={label} note={note}>
            <Num value={value} format={format ?? count} path={path} of={props.of} />
            {unit !== undefined && ' ' + unit}
          </Stat>
        ))}
    </Stats>
  );
}

const SEVERITY_WORDS: Record<Severity, string> = { bad: 'Problem', warn: 'Warning', good: 'Good', quiet: 'Note' };

/** Severity as a sign and a word, never colour alone. */
export function Sign(props: { severity: Severity; word?: ComponentChildren }) {
  return (
    <span class={'sign ' + props.severity}>
      <i aria-hidden="true" />
      {props.word ?? SEVERITY_WORDS[props.severity]}
    </span>
  );
}

/** A table that scrolls sideways by itself if it must; the keyboard reaches it then. */
export function TableBox(props: { label: string; children: ComponentChildren; class?: string }) {
  return (
    <div class={'table-box ' + (props.class ?? '')} role="region" aria-label={props.label} tabIndex={0}>
      <table>
        <caption class="hidden">{props.label}</caption>
        {props.children}
      </table>
    </div>
  );
}

export function Quiet(props: { children: ComponentChildren }) {
  return <p class="quiet-line">{props.children}</p>;
}

/** What a screen says while it has nothing else. */
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** A modal question. Escape and Cancel close it; the browser keeps the focus inside. */
export function Dialog(props: {
  title: string;
  close: () => void;
  children: ComponentChildren;
  actions: ComponentChildren;
  wide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) {
      return;
    }
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={props.wide ? 'wide' : ''}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
    >
      <h2 id="dialog-title">{props.title}</h2>
      {props.children}
      <div class="actions">
        <button type="button" class="plain" onClick={props.close}>
          Cancel
        </button>
        {props.actions}
      </div>
    </dialog>
  );
}

export function Segments<T extends string>(props: {
  label: string;
  value: T;
  options: [T, string][];
  change: (value: T) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(([value, word]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.change(value)}>
          {word}
        </button>
      ))}
    </div>
  );
}

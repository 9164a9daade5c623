import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { count } from '../format/number.ts';
import { clock } from '../format/time.ts';
import { Num } from '../parts/parts.tsx';
import type { Source } from '../store/textParts.ts';
import { color, font, themeGeneration } from './colors.ts';

/** A line of a chart. Its values belong to the chart's times; colour is a variable of the style sheet. */
export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
  width?: number;
  dash?: number[];
  /** fills to the axis with the colour, or lightly */
  fill?: 'solid' | 'light';
  points?: boolean;
  /** a line with a point at each value, for few values */
  dots?: boolean;
  stepped?: boolean;
  format?: (value: number | null | undefined) => string;
  /** what the legend shows instead of the drawn value, for stacked areas */
  shown?: (number | null)[];
  /** what the legend shows in place of a value; null leaves the series out */
  legend?: (row: number) => ComponentChildren;
  /** where the value of a row comes from; with `shown`, that one */
  source?: (row: number) => Source | undefined;
}

/** A vertical line at a time. */
export interface Mark {
  at: number;
  color: string;
  /** a small sign at the top, for events that people should see; alone, or on a line */
  sign?: 'alone' | 'line';
}

/** A stretch of time with a background. */
export interface Span {
  from: number;
  to: number;
  color: string;
}

export interface ChartProps {
  title: string;
  /** a sentence that says what the chart shows, with the newest numbers: the text alternative */
  summary: ComponentChildren;
  /** the learner that the numbers are of */
  of: string;
  /** epoch milliseconds, ascending; or what `across` names */
  times: number[];
  /** what the horizontal axis counts, if it is not time */
  across?: string;
  /** how a value of the horizontal axis is written, if it is not time; and distances between its labels */
  acrossFormat?: (value: number | null | undefined) => string;
  acrossSteps?: number[];
  /** where the time of a row comes from */
  timeSource: (row: number) => Source | undefined;
  series: Series[];
  marks?: Mark[];
  spans?: Span[];
  /** areas between two series, by position */
  bands?: { upper: number; lower: number; color: string }[];
  height?: number;
  format?: (value: number | null | undefined) => string;
  /** labels of the y axis, if they differ from the format */
  axisFormat?: (value: number | null | undefined) => string;
  /** distances between labels of the y axis to choose from */
  steps?: number[];
  /** values above it are cut off */
  top?: number | undefined;
  /** lines that the summary takes, so that nothing moves; 2 by default */
  lines?: 1 | 2;
  /** lowest and highest value that is always visible */
  include?: number[];
  /** marks a span of time */
  xRange?: [number, number] | undefined;
  empty?: string;
}

const HEIGHT = 240;
const AXIS_WIDTH = 76;
const AXIS_HEIGHT = 32;
/** Distances between labels of an axis that counts. */
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
/** So far back the legend looks for the newest value. */
const LOOKED_BACK = 60;

function structure(props: ChartProps): string {
  const lines = props.series.map((each) => [
    each.label,
    each.color,
    each.width,
    each.dash,
    each.fill,
    each.points,
    each.dots,
    each.stepped,
  ]);
  return JSON.stringify([lines, props.bands, props.height, props.steps]);
}

/** Draws lines over time with uPlot; updates in place. */
export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [hover, setHover] = useState<number | null>(null);
  const shape = structure(props);
  const height = props.height ?? HEIGHT;

  useLayoutEffect(() => {
    const element = host.current;
    if (!element) {
      return;
    }
    const made = create(element, latest, setHover, height);
    plot.current = made;
    const resize = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== made.width) {
        made.setSize({ width, height });
      }
    });
    resize.observe(element);
    return () => {
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  const generation = themeGeneration();
  useEffect(() => {
    plot.current?.setData(data(latest.current), true);
  }, [props.times, props.series, props.marks, props.xRange, generation]);

  const newest = props.times.length - 1;
  const row = hover !== null && hover < props.times.length ? hover : newest;
  const at = props.times[row];
  return (
    <figure class="chart">
      <figcaption>
        <h3>{props.title}</h3>
        <p class={props.lines === 1 ? 'one-line' : ''}>{props.summary}</p>
      </figcaption>
      <div class="chart-area" ref={host} style={{ height: height + 'px' }} aria-hidden="true">
        {props.times.length === 0 && <span class="chart-empty">{props.empty ?? 'Nothing to draw yet'}</span>}
      </div>
      <ul class="legend" aria-hidden="true">
        {props.series.map((each) => {
          const value = each.legend ? each.legend(row) : valueOf(each, row, row === newest, props);
          return value === null ? null : (
            <li key={each.label}>
              <i class={'key' + (each.dash ? ' dashed' : '')} style={{ background: 'var(--' + each.color + ')' }} />
              {each.label}
              <b>{value}</b>
            </li>
          );
        })}
        <li class="legend-when">
          {props.across !== undefined && props.across + ' '}
          {at !== undefined &&
            figure(
              at,
              props.across === undefined ? clock : (props.acrossFormat ?? count),
              props.timeSource(row),
              props.of,
            )}
        </li>
      </ul>
    </figure>
  );
}

/** The value of a row; for the newest row the newest that is known. */
function valueOf(series: Series, row: number, newest: boolean, props: ChartProps) {
  const values = series.shown ?? series.values;
  let at = row;
  while (newest && props.across === undefined && at > Math.max(0, row - LOOKED_BACK) && values[at] === null) {
    at--;
  }
  return figure(values[at], series.format ?? props.format ?? String, series.source?.(at), props.of);
}

function figure(
  value: number | null | undefined,
  format: (value: number | null | undefined) => string,
  source: Source | undefined,
  of: string,
) {
  return source ? <Num value={value} format={format} {...source} of={of} /> : format(value);
}

function data(props: ChartProps): uPlot.AlignedData {
  return [props.times, ...props.series.map((each) => each.values)];
}

function create(
  element: HTMLElement,
  latest: { current: ChartProps },
  setHover: (index: number | null) => void,
  height: number,
): uPlot {
  const props = latest.current;
  const format = () => latest.current.axisFormat ?? latest.current.format ?? String;
  const axis = { stroke: () => color('quiet'), font: font(), ticks: { show: false } };
  const grid = { stroke: () => color('grid'), width: 1 };
  const options: uPlot.Options = {
    width: Math.max(80, element.clientWidth),
    height,
    ms: 1,
    legend: { show: false },
    padding: [10, 30, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: {
        time: props.across === undefined,
        range: (_, low, high) => latest.current.xRange ?? (low === high ? [low - 1, high + 1] : [low, high]),
      },
      y: {
        range: (_, low, high) => {
          const wanted = latest.current.include ?? [];
          const bottom = Math.min(low ?? 0, ...wanted);
          const top = Math.min(latest.current.top ?? Number.POSITIVE_INFINITY, Math.max(high ?? 1, ...wanted));
          const room = (top - bottom || Math.abs(top) || 1) * 0.06;
          return [
            wanted.includes(bottom) ? bottom : bottom - room,
            wanted.includes(top) && wanted.length > 1 ? top : top + room,
          ];
        },
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: AXIS_HEIGHT,
        space: 90,
        ...(props.across === undefined ? {} : { incrs: props.acrossSteps ?? WHOLE_STEPS }),
        values: (u, splits) =>
          splits.map(props.across === undefined ? timeLabel(u) : (at) => (props.acrossFormat ?? count)(at)),
      },
      {
        ...axis,
        grid,
        size: AXIS_WIDTH,
        space: 40,
        ...(props.steps ? { incrs: props.steps } : {}),
        values: (_, splits) => splits.map((value) => format()(value)),
      },
    ],
    series: [
      {},
      ...props.series.map((each): uPlot.Series => {
        const line: uPlot.Series = {
          label: each.label,
          stroke: () => color(each.color),
          width: each.width ?? 2,
          points: each.points || each.dots ? { show: true, size: 5, fill: () => color(each.color) } : { show: false },
          spanGaps: false,
        };
        if (each.dash) {
          line.dash = each.dash;
        }
        if (each.fill) {
          const suffix = each.fill === 'light' ? '-light' : '';
          line.fill = () => color(each.color + suffix);
        }
        if (each.points) {
          line.paths = () => null;
        } else if (each.stepped && uPlot.paths.stepped) {
          line.paths = uPlot.paths.stepped({ align: 1 });
        }
        return line;
      }),
    ],
    bands: (props.bands ?? []).map((band) => ({
      series: [band.upper + 1, band.lower + 1] as [number, number],
      fill: () => color(band.color),
    })),
    hooks: {
      drawClear: [(u) => drawSpans(u, latest.current.spans ?? []), (u) => drawMarks(u, latest.current.marks ?? [])],
      setCursor: [(u) => setHover(u.cursor.left !== undefined && u.cursor.left >= 0 ? (u.cursor.idx ?? null) : null)],
    },
  };
  return new uPlot(options, data(props), element);
}

function timeLabel(u: uPlot): (at: number) => string {
  const span = (u.scales['x']?.max ?? 0) - (u.scales['x']?.min ?? 0);
  return (at) => {
    const text = clock(at);
    if (span > 36 * 3_600_000) {
      const day = new Date(at);
      return day.getMonth() + 1 + '-' + String(day.getDate()).padStart(2, '0') + ' ' + text.slice(0, 5);
    }
    return span > 10 * 60_000 ? text.slice(0, 5) : text;
  };
}

function drawSpans(u: uPlot, spans: Span[]): void {
  const { ctx, bbox } = u;
  const right = bbox.left + bbox.width;
  ctx.save();
  for (const span of spans) {
    const from = Math.max(bbox.left, u.valToPos(span.from, 'x', true));
    const to = Math.min(right, u.valToPos(span.to, 'x', true));
    if (to > from) {
      ctx.fillStyle = color(span.color);
      ctx.fillRect(from, bbox.top, Math.max(devicePixelRatio, to - from), bbox.height);
    }
  }
  ctx.restore();
}

function drawMarks(u: uPlot, marks: Mark[]): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  for (const mark of marks) {
    const x = Math.round(u.valToPos(mark.at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) {
      continue;
    }
    ctx.strokeStyle = color(mark.color);
    ctx.fillStyle = color(mark.color);
    ctx.lineWidth = ratio;
    if (mark.sign !== 'alone') {
      ctx.setLineDash(mark.sign ? [] : [2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    if (mark.sign) {
      const half = 4 * ratio;
      ctx.beginPath();
      ctx.moveTo(x - half, bbox.top - half);
      ctx.lineTo(x + half, bbox.top - half);
      ctx.lineTo(x, bbox.top + half);
      ctx.fill();
    }
  }
  ctx.restore();
}

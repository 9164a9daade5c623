import { clockMillis, duration } from '../format/time.ts';
import { count } from '../format/number.ts';
import { Num } from '../parts/parts.tsx';
import { type Lane, axisOf } from '../store/timeline.ts';

const LABELS = 5;

/** Waiting, training and publishing of some updates on one axis of time, a lane for each; the newest is at the top. */
export function Timeline(props: { lanes: Lane[]; most: number; of: string }) {
  const { lanes, most, of } = props;
  const [from, to, end] = axisOf(lanes);
  const place = (at: number) => ((Math.min(to, Math.max(from, at)) - from) / (to - from)) * 100;
  const cut = lanes.filter((lane) => (lane.stretches[0]?.from ?? to) < from).length;
  const shown = 'updates.' + lanes[lanes.length - 1]?.number + 'to' + lanes[0]?.number + '.';
  const labels = Array.from({ length: LABELS }, (_, index) => from + ((to - from) * index) / (LABELS - 1));
  return (
    <figure class="timeline">
      <figcaption>
        <h3>When they waited, were trained and were published</h3>
        <p class="one-line">
          <Num value={lanes.length} formula={'count(' + shown + 'number)'} of={of} />
          {' updates in ' + duration((to - from) / 1000)}
          {cut > 0 && (
            <>
              ; <Num value={cut} formula={'count(' + shown + 'began, 0, ' + from + ')'} of={of} /> began before
            </>
          )}
          .
        </p>
      </figcaption>
      <div
        class="lanes"
        role="img"
        aria-label={
          'Updates on an axis of time from ' +
          clockMillis(from) +
          ' to ' +
          clockMillis(to) +
          '. The table says the same.'
        }
        style={{ height: most * 9 + 'px' }}
      >
        {labels.slice(1, -1).map((at) => (
          <i key={at} class="gridline" style={{ left: place(at) + '%' }} />
        ))}
        {lanes.map((lane) => (
          <span key={lane.number} class="lane" title={words(lane)}>
            {lane.stretches
              .filter((each) => each.to >= from)
              .map((each) => (
                <i
                  key={each.phase}
                  class={'phase-' + each.phase}
                  style={{ left: place(each.from) + '%', width: place(each.to) - place(each.from) + '%' }}
                />
              ))}
          </span>
        ))}
      </div>
      <div class="lane-axis" aria-hidden="true">
        {labels.map((at) => (
          <span key={at}>
            <Num value={at} format={clockMillis} formula={end + ' - ' + (to - at)} of={of} />
          </span>
        ))}
      </div>
    </figure>
  );
}

function words(lane: Lane): string {
  return (
    'Update ' +
    count(lane.number) +
    lane.stretches
      .map(
        (each) => '\n' + each.phase + ' from ' + clockMillis(each.from) + ', ' + duration((each.to - each.from) / 1000),
      )
      .join('')
  );
}

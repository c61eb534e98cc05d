import { Component } from 'preact';
import { type Entry, idOf, numberOf } from '../../../client/entry.ts';
import { Row } from './row.tsx';

/**
 * A browser leaves out what is not on the screen group by group. With a group for each row it would spend more time on
 * the groups than on the rows.
 */
const GROUP_ROWS = 25;
/** The height of most rows, for the groups that were never drawn. */
const ROW_PX = 72;

interface RowsProps {
  /** Newest first. */
  readonly rows: readonly Entry[];
  /** The ids of the entries that applications run. */
  readonly current: ReadonlySet<string>;
}

/** The rows of the log. A group has the same numbers for ever, so that a new row changes the first group only. */
export function Rows({ rows, current }: RowsProps) {
  return (
    <section class="rows card" aria-label="Deploys, newest first">
      {grouped(rows).map(([group, entries]) => (
        <Group key={group} rows={entries} current={current} />
      ))}
    </section>
  );
}

/** Drawn again only when one of its rows has changed. */
class Group extends Component<RowsProps> {
  override shouldComponentUpdate({ rows, current }: RowsProps): boolean {
    if (rows.length !== this.props.rows.length) return true;
    const isOther = (entry: Entry, place: number) =>
      entry !== this.props.rows[place] || current.has(idOf(entry)) !== this.props.current.has(idOf(entry));
    return rows.some(isOther);
  }

  override render({ rows, current }: RowsProps) {
    return (
      <ul style={{ containIntrinsicBlockSize: `auto ${rows.length * ROW_PX}px` }}>
        {rows.map((entry) => (
          <Row key={numberOf(entry)} entry={entry} isCurrent={current.has(idOf(entry))} />
        ))}
      </ul>
    );
  }
}

function grouped(rows: readonly Entry[]): ReadonlyArray<readonly [group: number, entries: Entry[]]> {
  const groups = new Map<number, Entry[]>();
  for (const entry of rows) {
    const group = Math.floor(numberOf(entry) / GROUP_ROWS);
    const rowsOfGroup = groups.get(group);
    if (rowsOfGroup) rowsOfGroup.push(entry);
    else groups.set(group, [entry]);
  }
  return [...groups];
}

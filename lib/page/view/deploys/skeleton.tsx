import { Alert } from '../parts/alert.tsx';

/** In the place of rows that are being read, or why they cannot be. */
export function Awaited({ failure, rows }: { failure: string | null; rows: number }) {
  return failure === null ? <Skeleton rows={rows} /> : <Alert text={failure} />;
}

/** The place of rows that are being read, as large as they will be. */
export function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="rows card skeleton" aria-busy="true">
      <span class="visually-hidden" role="status">
        Loading…
      </span>
      {Array.from({ length: rows }, (_, index) => (
        <div class="grid row" key={index} aria-hidden="true">
          <i />
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  );
}

import { type ShownStatus, shownStatus } from '../../model/status.ts';
import { Mark } from './icons.tsx';

/** A status in words, with its colour and shape. */
export function Status({ of }: { of: { readonly status: string; readonly operation?: string } }) {
  return <Badge shown={shownStatus(of)} />;
}

export function Badge({ shown: { label, tone, shape } }: { shown: ShownStatus }) {
  return (
    <span class={`flow status ${tone}`}>
      <Mark shape={shape} tone={tone} />
      {label}
    </span>
  );
}

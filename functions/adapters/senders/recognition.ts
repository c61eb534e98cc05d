import { isObject } from '../../core/json.ts';
import type { HookCall } from '../../core/ports/sender.ts';
import type { Recognition } from './define-sender.ts';
import { hasField } from './fields/read.ts';

/**
 * Returns the senders that a call may come from: one, unless two definitions overlap. The first known header in the
 * order of the list decides; the body is used only without a known header, because bodies of different senders can be
 * similar. A sender that requires certain events or values takes precedence over one that accepts any.
 */
export function matchingSenders<S extends Recognition>(senders: readonly S[], call: HookCall): readonly S[] {
  const header = namingHeader(senders, call);
  const event = call.headers[header ?? ''] ?? '';
  const matching = senders.filter((sender) =>
    header === undefined ? hasFields(sender, call.body) : headerOf(sender) === header && hasEvent(sender, event),
  );
  const fitting = matching.filter((sender) => hasValues(sender, call.body));
  const specific = fitting.filter(({ events, fieldValues }) => (header !== undefined && events) || fieldValues);
  return specific.length > 0 ? specific : fitting;
}

/** Returns the first header of a sender of the list that a call has; undefined without any. */
export function namingHeader(senders: readonly Recognition[], { headers }: HookCall): string | undefined {
  return senders.map(headerOf).find((name) => name !== undefined && headers[name] !== undefined);
}

function headerOf({ header }: Recognition): string | undefined {
  return header?.toLowerCase();
}

function hasEvent({ events }: Recognition, event: string): boolean {
  if (events === undefined) return true;
  return events.some((one) => (one.endsWith('*') ? event.startsWith(one.slice(0, -1)) : event === one));
}

function hasFields({ requiredFields, foreignFields = [] }: Recognition, body: unknown): boolean {
  if (requiredFields === undefined) return false;
  return (
    requiredFields.every((field) => hasField(body, field)) && !foreignFields.some((field) => hasField(body, field))
  );
}

function hasValues({ fieldValues = {} }: Recognition, body: unknown): boolean {
  return Object.entries(fieldValues).every(([field, value]) => isObject(body) && body[field] === value);
}

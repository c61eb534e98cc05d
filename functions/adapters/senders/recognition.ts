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
  const header = senders.map(headerOf).find((name) => name !== null && call.headers[name] !== undefined);
  const isNamed = typeof header === 'string';
  const event = isNamed ? (call.headers[header] ?? '') : null;
  const matching = isNamed
    ? senders.filter((sender) => headerOf(sender) === header && hasEvent(sender, event ?? ''))
    : senders.filter((sender) => hasFields(sender, call.body));
  const fitting = matching.filter((sender) => hasValues(sender, call.body));
  const specific = fitting.filter(({ events, fieldValues }) => (isNamed && events) || fieldValues);
  return specific.length > 0 ? specific : fitting;
}

/** Returns whether a call has the header of a sender of the list. */
export function isNamedByHeader(senders: readonly Recognition[], call: HookCall): boolean {
  return senders.some((sender) => {
    const name = headerOf(sender);
    return name !== null && call.headers[name] !== undefined;
  });
}

function headerOf({ header }: Recognition): string | null {
  return header?.toLowerCase() ?? null;
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

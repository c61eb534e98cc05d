import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import type { InvocationDenial } from '../permissions/invocations.ts';
import { ServiceError } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import type { LogEvent, LogStore } from './log-store.ts';

interface Subscription {
  readonly name: string;
  readonly pattern: string;
  readonly destination: string;
}

/** The subscription filters of log groups. */
export interface Subscriptions {
  /** Adds the filter of a group, or replaces the one of this name. */
  put(group: string, filter: Subscription): void;
  /** Removes a filter of a group; false when there is none of this name. */
  remove(group: string, name: string): boolean;
  /** Removes the filters of a group. */
  removeAll(group: string): void;
  /** Returns the invocations for new events: CloudWatch's message, and the ARN of the function. */
  noticesOf(group: string, stream: string, events: readonly LogEvent[]): readonly LogNotice[];
}

/** A message for a function. */
export interface LogNotice {
  readonly destination: string;
  readonly message: object;
}

/** Lambda and CloudWatch Logs allow two: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html */
const MAX_FILTERS = 2;
/** Terms that must all be in a line: words, or texts in quotes. */
const TERMS = /^(?:\s*(?:"[^"]+"|[\w.]+))+\s*$/;

/** @param denialOf tells which functions CloudWatch Logs may invoke */
export function openSubscriptions(denialOf: InvocationDenial): Subscriptions {
  const all = new Map<string, readonly Subscription[]>();
  return {
    put: (group, filter) => {
      if (!TERMS.test(filter.pattern)) throw new ShapeError(`the filter pattern ${filter.pattern} is not emulated`);
      const sourceArn = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${group}:*`;
      const functionName = nameOf(filter.destination);
      if (denialOf({ functionName, sourceArn, principal: 'logs.amazonaws.com' }) !== undefined)
        throw new ServiceError('InvalidParameterException', NOT_ALLOWED);
      const others = (all.get(group) ?? []).filter(({ name }) => name !== filter.name);
      if (others.length >= MAX_FILTERS) throw new ServiceError('LimitExceededException', 'Resource limit exceeded.');
      all.set(group, [...others, filter]);
    },
    remove: (group, name) => {
      const others = (all.get(group) ?? []).filter((filter) => filter.name !== name);
      const isFound = others.length < (all.get(group) ?? []).length;
      all.set(group, others);
      return isFound;
    },
    removeAll: (group) => void all.delete(group),
    noticesOf: (group, stream, events) =>
      (all.get(group) ?? []).flatMap(({ name, pattern, destination }) => {
        const found = events.filter(({ message }) => termsOf(pattern).every((term) => message.includes(term)));
        if (found.length === 0) return [];
        const logEvents = found.map(({ timestamp, message }, index) => ({
          id: `${timestamp}${index}`,
          timestamp,
          message,
        }));
        const about = { owner: ACCOUNT, logGroup: group, logStream: stream, subscriptionFilters: [name] };
        return [{ destination, message: { messageType: 'DATA_MESSAGE', ...about, logEvents } }];
      }),
  };
}

const NOT_ALLOWED =
  'Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute your function.';

function termsOf(pattern: string): readonly string[] {
  return [...pattern.matchAll(/"([^"]+)"|([\w.]+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

/** Returns a store that tells of the lines that subscriptions ask for. */
export function subscribed(store: LogStore, subscriptions: Subscriptions, tell: (notice: LogNotice) => void): LogStore {
  return {
    ...store,
    append: (group, stream, events) => {
      store.append(group, stream, events);
      for (const notice of subscriptions.noticesOf(group, stream, events)) tell(notice);
    },
    deleteGroup: (group) => {
      subscriptions.removeAll(group);
      return store.deleteGroup(group);
    },
  };
}

import type {
  CreateLogGroupRequest,
  CreateLogStreamRequest,
  DeleteLogGroupRequest,
  DeleteSubscriptionFilterRequest,
  DescribeLogStreamsRequest,
  FilterLogEventsRequest,
  GetLogEventsRequest,
  PutLogEventsRequest,
  PutRetentionPolicyRequest,
  PutSubscriptionFilterRequest,
} from '@aws-sdk/client-cloudwatch-logs';
import { tokenBucket } from '../strict/stage-throttle.ts';
import { limited, operation, type Service, ServiceError } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import type { LogStore, StoredEvent } from './log-store.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Of a page: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html */
const MAX_EVENTS = 10_000;
const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * Calls a second of an account in us-east-1, which cannot be raised.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
 */
const RATES: Readonly<Record<string, number>> = {
  FilterLogEvents: 25,
  PutRetentionPolicy: 5,
  PutSubscriptionFilter: 5,
};

/**
 * CloudWatch Logs for those who read: the services of this machine write to the store directly.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_Operations.html
 */
export function logsService(store: LogStore, subscriptions: Subscriptions): Service {
  return {
    name: 'CloudWatch Logs',
    target: 'Logs_20140328',
    load: () => import('@aws-sdk/client-cloudwatch-logs'),
    operations: withRates({
      CreateLogGroup: operation<CreateLogGroupRequest>(['logGroupName', 'tags'], ({ logGroupName, tags }) => {
        if (store.createGroup(nameOf(logGroupName), tags)) return {};
        throw new ServiceError('ResourceAlreadyExistsException', 'The specified log group already exists');
      }),
      // Kept as long as the store keeps it, which a retention in days cannot lengthen.
      PutRetentionPolicy: operation<PutRetentionPolicyRequest>(['logGroupName', 'retentionInDays'], (input) => {
        streamsOf(store, input.logGroupName);
        return {};
      }),
      DeleteLogGroup: operation<DeleteLogGroupRequest>(['logGroupName'], ({ logGroupName }) => {
        if (store.deleteGroup(nameOf(logGroupName))) return {};
        throw noGroup();
      }),
      CreateLogStream: operation<CreateLogStreamRequest>(['logGroupName', 'logStreamName'], (input) => {
        const { logGroupName = '', logStreamName = '' } = input;
        if (streamsOf(store, logGroupName).includes(logStreamName)) {
          throw new ServiceError('ResourceAlreadyExistsException', 'The specified log stream already exists');
        }
        store.append(logGroupName, logStreamName, []);
        return {};
      }),
      DescribeLogStreams: operation<DescribeLogStreamsRequest>(
        ['logGroupName', 'logStreamNamePrefix', 'limit'],
        ({ logGroupName, logStreamNamePrefix = '', limit = 50 }) => {
          const found = streamsOf(store, logGroupName).filter((name) => name.startsWith(logStreamNamePrefix));
          return {
            logStreams: found
              .sort()
              .slice(0, limit)
              .map((logStreamName) => ({ logStreamName })),
          };
        },
      ),
      PutLogEvents: operation<PutLogEventsRequest>(['logGroupName', 'logStreamName', 'logEvents'], (input) => {
        const { logGroupName = '', logStreamName = '', logEvents = [] } = input;
        if (!streamsOf(store, logGroupName).includes(logStreamName)) throw noStream();
        const events = logEvents.map(({ timestamp = 0, message = '' }) => ({ timestamp, message }));
        store.append(logGroupName, logStreamName, events);
        return {};
      }),
      PutSubscriptionFilter: operation<PutSubscriptionFilterRequest>(
        ['logGroupName', 'filterName', 'filterPattern', 'destinationArn'],
        ({
          logGroupName = '',
          filterName: name = '',
          filterPattern: pattern = '',
          destinationArn: destination = '',
        }) => {
          streamsOf(store, logGroupName);
          subscriptions.put(logGroupName, { name, pattern, destination });
          return {};
        },
      ),
      DeleteSubscriptionFilter: operation<DeleteSubscriptionFilterRequest>(
        ['logGroupName', 'filterName'],
        ({ logGroupName = '', filterName = '' }) => {
          streamsOf(store, logGroupName);
          if (subscriptions.remove(logGroupName, filterName)) return {};
          throw new ServiceError('ResourceNotFoundException', 'The specified subscription filter does not exist.');
        },
      ),
      GetLogEvents: operation<GetLogEventsRequest>(
        ['logGroupName', 'logStreamName', 'nextToken', 'startFromHead'],
        (input) => getEvents(store, input),
      ),
      FilterLogEvents: operation<FilterLogEventsRequest>(
        ['logGroupName', 'startTime', 'endTime', 'nextToken', 'limit'],
        (input) => filterEvents(store, input),
      ),
    }),
  };
}

function withRates(operations: Service['operations']): Service['operations'] {
  const refusal = () => new ServiceError('ThrottlingException', 'Rate exceeded');
  const all = Object.entries(operations).map(([name, one]) => {
    const rate = RATES[name];
    return [name, rate === undefined ? one : limited(one, tokenBucket({ rate, burst: rate }), refusal)] as const;
  });
  return Object.fromEntries(all);
}

/**
 * The token names the place; at the end of the log the same one comes back, as on AWS. There a page may be empty although
 * more events follow; here the first always is.
 */
function getEvents(store: LogStore, input: GetLogEventsRequest): object {
  const { logGroupName, logStreamName = '', startFromHead, nextToken } = input;
  if (!startFromHead) throw new ShapeError('a log that is read from its end is not emulated');
  streamsOf(store, logGroupName);
  const all = store.events(nameOf(logGroupName), logStreamName);
  if (!all) throw noStream();
  if (nextToken === undefined) return { events: [], nextForwardToken: 'f/0' };
  const [, place] = /^f\/(\d+)$/.exec(nextToken) ?? [];
  if (place === undefined) throw new ServiceError('InvalidParameterException', 'The specified nextToken is invalid.');
  const events = pageOf(all.slice(Number(place)));
  return {
    events: events.map(({ timestamp, message }) => ({ timestamp, message, ingestionTime: timestamp })),
    nextForwardToken: `f/${Number(place) + events.length}`,
  };
}

/** Of a log with streams the first page is empty, as it may be on AWS: there only a part has been searched by then. */
function filterEvents(store: LogStore, input: FilterLogEventsRequest): object {
  const { logGroupName, startTime = 0, endTime = Number.POSITIVE_INFINITY, limit, nextToken } = input;
  const streams = streamsOf(store, logGroupName);
  if (nextToken === undefined && streams.length > 0) return { events: [], searchedLogStreams: [], nextToken: '0' };
  const events = streams
    .flatMap((stream) => store.events(nameOf(logGroupName), stream) ?? [])
    .filter(({ timestamp }) => timestamp >= startTime && timestamp <= endTime)
    .sort((left, right) => left.timestamp - right.timestamp);
  const from = Number(nextToken ?? 0);
  const page = pageOf(events.slice(from), limit);
  const next = from + page.length;
  return {
    events: page.map(({ stream, index, timestamp, message }) => ({
      logStreamName: stream,
      timestamp,
      message,
      ingestionTime: timestamp,
      eventId: `${stream}/${index}`,
    })),
    searchedLogStreams: [],
    ...(next < events.length && { nextToken: String(next) }),
  };
}

function pageOf(events: readonly StoredEvent[], limit = MAX_EVENTS): readonly StoredEvent[] {
  let bytes = 0;
  const end = events.findIndex(({ message }) => {
    bytes += Buffer.byteLength(message);
    return bytes > MAX_PAGE_BYTES;
  });
  return events.slice(0, Math.min(limit, end < 0 ? MAX_EVENTS : Math.max(1, end)));
}

function streamsOf(store: LogStore, group: string | undefined): readonly string[] {
  const streams = store.streams(nameOf(group));
  if (streams) return streams;
  throw noGroup();
}

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
function nameOf(group: string | undefined): string {
  if (group !== undefined && /^[.\-_/#A-Za-z0-9]{1,512}$/.test(group)) return group;
  throw new ServiceError('InvalidParameterException', 'The name of the log group is missing or invalid.');
}

function noStream(): ServiceError {
  return new ServiceError('ResourceNotFoundException', 'The specified log stream does not exist.');
}

function noGroup(): ServiceError {
  return new ServiceError('ResourceNotFoundException', 'The specified log group does not exist.');
}

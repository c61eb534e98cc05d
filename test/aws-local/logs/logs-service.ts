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
import { ACCOUNT, REGION } from '../clients.ts';
import { ServiceError } from '../emulators/json-endpoint.ts';
import { operation, type Service } from '../wire/service.ts';
import type { LogStore, StoredEvent } from './log-store.ts';
import type { Subscriptions } from './subscriptions.ts';

const MAX_EVENTS = 10_000;
const MAX_STREAMS = 50;

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
    operations: {
      CreateLogGroup: operation<CreateLogGroupRequest>(['logGroupName', 'tags'], ({ logGroupName }) => {
        if (store.createGroup(nameOf(logGroupName))) return {};
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
      DescribeLogStreams: operation<DescribeLogStreamsRequest>(
        ['logGroupName', 'logStreamNamePrefix', 'orderBy', 'descending', 'limit', 'nextToken'],
        (input) => describeStreams(store, input),
      ),
      GetLogEvents: operation<GetLogEventsRequest>(
        ['logGroupName', 'logStreamName', 'startTime', 'endTime', 'nextToken', 'limit', 'startFromHead'],
        (input) => getEvents(store, input),
      ),
      FilterLogEvents: operation<FilterLogEventsRequest>(
        ['logGroupName', 'logStreamNames', 'logStreamNamePrefix', 'startTime', 'endTime', 'nextToken', 'limit'],
        (input) => filterEvents(store, input),
      ),
    },
  };
}

function describeStreams(store: LogStore, input: DescribeLogStreamsRequest): object {
  const { logGroupName, logStreamNamePrefix = '', orderBy, descending, limit = MAX_STREAMS } = input;
  const names = streamsOf(store, logGroupName).filter((name) => name.startsWith(logStreamNamePrefix));
  const described = names.map((name) => {
    const events = store.events(nameOf(logGroupName), name) ?? [];
    return {
      logStreamName: name,
      arn: `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroupName}:log-stream:${name}`,
      firstEventTimestamp: events[0]?.timestamp,
      lastEventTimestamp: events.at(-1)?.timestamp,
    };
  });
  const order = (left: (typeof described)[number], right: (typeof described)[number]) =>
    orderBy === 'LastEventTime'
      ? (left.lastEventTimestamp ?? 0) - (right.lastEventTimestamp ?? 0)
      : left.logStreamName < right.logStreamName
        ? -1
        : 1;
  const sorted = described.sort(descending ? (left, right) => order(right, left) : order);
  const from = Number(input.nextToken ?? 0);
  const next = from + limit;
  return {
    logStreams: sorted.slice(from, next),
    ...(next < sorted.length && { nextToken: String(next) }),
  };
}

/** The tokens say the direction and the place; at an end the same token comes back, as on AWS. */
function getEvents(store: LogStore, input: GetLogEventsRequest): object {
  const { logGroupName, logStreamName, limit = MAX_EVENTS, startFromHead, nextToken } = input;
  streamsOf(store, logGroupName);
  const all = store.events(nameOf(logGroupName), logStreamName ?? '');
  if (!all) throw noStream();
  const [, direction, place] = /^(f|b)\/(\d+)$/.exec(nextToken ?? (startFromHead ? 'f/0' : `b/${all.length}`)) ?? [];
  if (place === undefined) throw new ServiceError('InvalidParameterException', 'The specified nextToken is invalid.');
  const start = direction === 'f' ? Number(place) : Math.max(0, Number(place) - limit);
  const end = direction === 'f' ? Math.min(all.length, start + limit) : Number(place);
  return {
    events: all
      .slice(start, end)
      .filter(within(input))
      .map(({ timestamp, message }) => ({ timestamp, message, ingestionTime: timestamp })),
    nextForwardToken: `f/${end}`,
    nextBackwardToken: `b/${start}`,
  };
}

function filterEvents(store: LogStore, input: FilterLogEventsRequest): object {
  const { logGroupName, logStreamNames, logStreamNamePrefix = '', limit = MAX_EVENTS } = input;
  const wanted = streamsOf(store, logGroupName).filter(
    (name) => name.startsWith(logStreamNamePrefix) && (logStreamNames === undefined || logStreamNames.includes(name)),
  );
  const events = wanted
    .flatMap((stream) => store.events(nameOf(logGroupName), stream) ?? [])
    .filter(within({ ...input, endTime: (input.endTime ?? Number.POSITIVE_INFINITY) + 1 }))
    .sort((left, right) => left.timestamp - right.timestamp);
  const from = Number(input.nextToken ?? 0);
  const next = from + limit;
  return {
    events: events.slice(from, next).map(({ stream, index, timestamp, message }) => ({
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

/** The end of the time range does not belong to it, except for FilterLogEvents. */
function within({
  startTime = 0,
  endTime = Number.POSITIVE_INFINITY,
}: {
  startTime?: number | undefined;
  endTime?: number | undefined;
}) {
  return ({ timestamp }: StoredEvent) => timestamp >= startTime && timestamp < endTime;
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

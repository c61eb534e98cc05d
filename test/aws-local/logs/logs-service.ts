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
import { operation, type Service, ServiceError } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import type { LogStore } from './log-store.ts';
import type { Subscriptions } from './subscriptions.ts';

const MAX_EVENTS = 10_000;

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
    },
  };
}

/** The token names the place; at the end of the log the same one comes back, as on AWS. */
function getEvents(store: LogStore, input: GetLogEventsRequest): object {
  const { logGroupName, logStreamName = '', startFromHead, nextToken = 'f/0' } = input;
  if (!startFromHead) throw new ShapeError('a log that is read from its end is not emulated');
  streamsOf(store, logGroupName);
  const all = store.events(nameOf(logGroupName), logStreamName);
  if (!all) throw noStream();
  const [, place] = /^f\/(\d+)$/.exec(nextToken) ?? [];
  if (place === undefined) throw new ServiceError('InvalidParameterException', 'The specified nextToken is invalid.');
  const events = all.slice(Number(place), Number(place) + MAX_EVENTS);
  return {
    events: events.map(({ timestamp, message }) => ({ timestamp, message, ingestionTime: timestamp })),
    nextForwardToken: `f/${Number(place) + events.length}`,
  };
}

function filterEvents(store: LogStore, input: FilterLogEventsRequest): object {
  const { logGroupName, startTime = 0, endTime = Number.POSITIVE_INFINITY, limit = MAX_EVENTS } = input;
  const events = streamsOf(store, logGroupName)
    .flatMap((stream) => store.events(nameOf(logGroupName), stream) ?? [])
    .filter(({ timestamp }) => timestamp >= startTime && timestamp <= endTime)
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

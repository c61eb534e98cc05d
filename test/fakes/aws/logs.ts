import type * as Logs from '@aws-sdk/client-cloudwatch-logs';
import { ResourceNotFoundException } from '@aws-sdk/client-cloudwatch-logs';
import { AwsError, fakeClient } from './aws-error.ts';

interface Event {
  readonly eventId: string;
  readonly timestamp: number;
  readonly message: string;
  readonly logStreamName: string;
}

/** A fake of CloudWatch Logs. */
export class FakeLogs {
  readonly groups = new Map<string, Event[]>();
  /** The filter of each group. */
  readonly filters = new Map<string, Omit<Logs.PutSubscriptionFilterCommandInput, 'logGroupName'>>();
  /** The groups of which a filter was made, each time. */
  readonly puts: string[] = [];
  refusesFilters = false;
  /** So many of the next searches are more than the region allows. */
  throttles = 0;
  /** Each with its first page. */
  readonly searches: Logs.FilterLogEventsCommandInput[] = [];
  readonly tags = new Map<string, Logs.CreateLogGroupCommandInput['tags']>();
  readonly #streams = new Set<string>();
  #count = 0;

  /** Writes a line as a build or a function does. */
  write(group: string, stream: string, message: string, timestamp = Date.now()): void {
    this.#count += 1;
    const events = this.groups.get(group) ?? [];
    events.push({ eventId: String(this.#count), timestamp, message, logStreamName: stream });
    this.groups.set(group, events);
  }

  client(): Logs.CloudWatchLogsClient {
    return fakeClient({
      CreateLogGroupCommand: ({ logGroupName = '', tags }: Logs.CreateLogGroupCommandInput) => {
        this.tags.set(logGroupName, tags);
        if (this.groups.has(logGroupName)) throw new AwsError('ResourceAlreadyExistsException', 400);
        this.groups.set(logGroupName, []);
      },
      PutRetentionPolicyCommand: ({ logGroupName }: Logs.PutRetentionPolicyCommandInput) => {
        this.#events(logGroupName);
      },
      PutSubscriptionFilterCommand: ({ logGroupName = '', ...filter }: Logs.PutSubscriptionFilterCommandInput) => {
        this.#events(logGroupName);
        if (this.refusesFilters) throw new AwsError('ServiceUnavailableException', 500);
        this.puts.push(logGroupName);
        this.filters.set(logGroupName, filter);
      },
      DeleteSubscriptionFilterCommand: ({ logGroupName = '' }: Logs.DeleteSubscriptionFilterCommandInput) => {
        this.#events(logGroupName);
        this.filters.delete(logGroupName);
      },
      CreateLogStreamCommand: ({ logGroupName = '', logStreamName }: Logs.CreateLogStreamCommandInput) => {
        this.#events(logGroupName);
        const stream = `${logGroupName}:${logStreamName}`;
        if (this.#streams.has(stream)) throw new AwsError('ResourceAlreadyExistsException', 400);
        this.#streams.add(stream);
      },
      DescribeLogStreamsCommand: ({ logGroupName, logStreamNamePrefix = '' }: Logs.DescribeLogStreamsCommandInput) => {
        const names = new Set(this.#events(logGroupName).map(({ logStreamName }) => logStreamName));
        const found = [...names].filter((name) => name.startsWith(logStreamNamePrefix));
        return { logStreams: found.map((logStreamName) => ({ logStreamName })) };
      },
      PutLogEventsCommand: ({
        logGroupName = '',
        logStreamName = '',
        logEvents = [],
      }: Logs.PutLogEventsCommandInput) => {
        for (const { message = '', timestamp } of logEvents)
          this.write(logGroupName, logStreamName, message, timestamp);
      },
      DeleteLogGroupCommand: ({ logGroupName = '' }: Logs.DeleteLogGroupCommandInput) => {
        this.#events(logGroupName);
        this.groups.delete(logGroupName);
      },
      FilterLogEventsCommand: (input: Logs.FilterLogEventsCommandInput) => {
        const { logGroupName, startTime = 0, endTime = Number.POSITIVE_INFINITY, nextToken } = input;
        if (nextToken === undefined) this.searches.push(input);
        if (this.throttles > 0) {
          this.throttles -= 1;
          throw new AwsError('ThrottlingException', 400);
        }
        const events = this.#events(logGroupName);
        // A page may be empty although more follow.
        if (nextToken === undefined) return { events: [], nextToken: 'more' };
        return { events: events.filter(({ timestamp }) => timestamp >= startTime && timestamp <= endTime) };
      },
      GetLogEventsCommand: ({ logGroupName, logStreamName, nextToken }: Logs.GetLogEventsCommandInput) => {
        const own = this.#events(logGroupName).filter((event) => event.logStreamName === logStreamName);
        return { events: own.slice(Number(nextToken ?? 0)), nextForwardToken: String(own.length) };
      },
    });
  }

  #events(group: string | undefined): Event[] {
    const found = this.groups.get(group ?? '');
    if (found) return found;
    throw new ResourceNotFoundException({
      message: 'The log group does not exist.',
      $metadata: { httpStatusCode: 400 },
    });
  }
}

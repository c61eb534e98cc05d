import {
  array,
  boolean,
  type InferOutput,
  looseObject,
  nullish,
  number,
  optional,
  parse,
  pipe,
  safeParse,
  string,
  transform,
  union,
} from 'valibot';
import { nameOf } from '../arn.ts';
import { reservations } from '../strict/concurrency.ts';
import type { Resource, Template } from '../template/template.ts';
import { type Filter, parseFilter } from './event-filter.ts';

/** An `AWS::Lambda::EventSourceMapping` of the template, with Lambda's defaults. */
export interface Mapping {
  /** The logical id, which is stable across restarts. */
  readonly id: string;
  readonly functionName: string;
  readonly sourceArn: string;
  /** The queue's or the table's name. */
  readonly source: string;
  readonly batchSize: number;
  /** Whether the function reports which records failed (`ReportBatchItemFailures`). */
  readonly reportsFailures: boolean;
  /** Maximum of concurrent invocations, for a queue that sets it. */
  readonly maximumConcurrency: number | undefined;
  /** The runs that are reserved for the function, if any. */
  readonly reserved: number | undefined;
  /** Batches of one shard that run in parallel; records of one key stay in order. */
  readonly parallelizationFactor: number;
  readonly bisects: boolean;
  /** Retries of a failed batch; infinite by default. */
  readonly retries: number;
  /** Age in seconds at which a record is discarded; infinite by default. */
  readonly maximumAgeSeconds: number;
  readonly startsAt: 'TRIM_HORIZON' | 'LATEST';
  /** A record passes when one of them matches, or when there are none. */
  readonly filters: readonly Filter[];
  /** Name of the queue that gets a message about discarded records. */
  readonly failureQueue: string | undefined;
  readonly failureArn: string | undefined;
}

/** CloudFormation accepts numbers as strings. */
const count = pipe(union([number(), string()]), transform(Number));
const UNLIMITED = -1;

/**
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html
 */
const MappingProperties = looseObject({
  EventSourceArn: string(),
  FunctionName: string(),
  Enabled: optional(boolean(), true),
  BatchSize: optional(count),
  FunctionResponseTypes: optional(array(string()), []),
  ScalingConfig: optional(looseObject({ MaximumConcurrency: optional(count) })),
  ParallelizationFactor: optional(count, 1),
  BisectBatchOnFunctionError: optional(boolean(), false),
  MaximumRetryAttempts: optional(count, UNLIMITED),
  MaximumRecordAgeInSeconds: optional(count, UNLIMITED),
  StartingPosition: optional(string()),
  FilterCriteria: optional(looseObject({ Filters: optional(array(looseObject({ Pattern: string() })), []) })),
  DestinationConfig: optional(looseObject({ OnFailure: optional(looseObject({ Destination: string() })) })),
});

const DEFAULT_BATCH_SIZES = { sqs: 10, dynamodb: 100 };

/** Returns the enabled mappings of queues or of table streams. */
export function mappingsOf(template: Template, service: 'sqs' | 'dynamodb'): Mapping[] {
  const reserved = reservations(template);
  return template
    .ofType('AWS::Lambda::EventSourceMapping')
    .map((resource) => ({ resource, properties: parse(MappingProperties, resource.properties) }))
    .filter(({ properties }) => properties.Enabled && properties.EventSourceArn.split(':')[2] === service)
    .map(({ resource, properties }) => ({
      ...read(resource, properties, DEFAULT_BATCH_SIZES[service]),
      reserved: reserved.get(nameOf(properties.FunctionName)),
    }));
}

function read(
  resource: Resource,
  given: InferOutput<typeof MappingProperties>,
  batchSize: number,
): Omit<Mapping, 'reserved'> {
  const failureArn = given.DestinationConfig?.OnFailure?.Destination;
  return {
    id: resource.logicalId,
    functionName: nameOf(given.FunctionName),
    sourceArn: given.EventSourceArn,
    source: nameOf(given.EventSourceArn),
    batchSize: given.BatchSize ?? batchSize,
    reportsFailures: given.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    maximumConcurrency: given.ScalingConfig?.MaximumConcurrency,
    parallelizationFactor: given.ParallelizationFactor,
    bisects: given.BisectBatchOnFunctionError,
    retries: limit(given.MaximumRetryAttempts),
    maximumAgeSeconds: limit(given.MaximumRecordAgeInSeconds),
    startsAt: given.StartingPosition === 'TRIM_HORIZON' ? 'TRIM_HORIZON' : 'LATEST',
    filters: (given.FilterCriteria?.Filters ?? []).map(({ Pattern }) => parseFilter(Pattern)),
    failureQueue: failureArn === undefined ? undefined : nameOf(failureArn),
    failureArn,
  };
}

function limit(value: number): number {
  return value === UNLIMITED ? Number.POSITIVE_INFINITY : value;
}

/** Returns the items by key, both in their first order. (`Map.groupBy` needs Node 21.) */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const Response = nullish(
  looseObject({ batchItemFailures: nullish(array(looseObject({ itemIdentifier: optional(string()) }))) }),
);

/**
 * Returns the ids of the records that a function reported as failed, by Lambda's rules: an empty response is success;
 * an invalid one, or an id that was not in the batch, fails all of them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function failedIds(response: unknown, ids: readonly string[]): ReadonlySet<string> {
  const parsed = safeParse(Response, response);
  if (!parsed.success) return new Set(ids);
  const failed = (parsed.output?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier ?? '');
  return new Set(failed.every((id) => ids.includes(id)) ? failed : ids);
}

import * as v from 'valibot';
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
const count = v.pipe(v.union([v.number(), v.string()]), v.transform(Number));
const UNLIMITED = -1;

/**
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html
 */
const MappingProperties = v.looseObject({
  EventSourceArn: v.pipe(v.string(), v.regex(/^arn:aws:(?:sqs|dynamodb):/)),
  FunctionName: v.string(),
  Enabled: v.optional(v.literal(true)),
  BatchSize: v.optional(count),
  FunctionResponseTypes: v.optional(v.array(v.string()), []),
  ScalingConfig: v.optional(v.looseObject({ MaximumConcurrency: v.optional(count) })),
  ParallelizationFactor: v.optional(count, 1),
  BisectBatchOnFunctionError: v.optional(v.boolean(), false),
  MaximumRetryAttempts: v.optional(count, UNLIMITED),
  MaximumRecordAgeInSeconds: v.optional(count, UNLIMITED),
  StartingPosition: v.optional(v.string()),
  FilterCriteria: v.optional(
    v.looseObject({ Filters: v.optional(v.array(v.looseObject({ Pattern: v.string() })), []) }),
  ),
  DestinationConfig: v.optional(v.looseObject({ OnFailure: v.optional(v.looseObject({ Destination: v.string() })) })),
});

const DEFAULT_BATCH_SIZES = { sqs: 10, dynamodb: 100 };

/** Returns the mappings of queues or of table streams. */
export function mappingsOf(template: Template, service: 'sqs' | 'dynamodb'): Mapping[] {
  const reserved = reservations(template);
  return template
    .ofType('AWS::Lambda::EventSourceMapping')
    .map((resource) => ({ resource, properties: v.parse(MappingProperties, resource.properties) }))
    .filter(({ properties }) => properties.EventSourceArn.split(':')[2] === service)
    .map(({ resource, properties }) => ({
      ...read(resource, properties, DEFAULT_BATCH_SIZES[service]),
      reserved: reserved.get(nameOf(properties.FunctionName)),
    }));
}

function read(
  resource: Resource,
  given: v.InferOutput<typeof MappingProperties>,
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

const Response = v.nullish(
  v.looseObject({ batchItemFailures: v.nullish(v.array(v.looseObject({ itemIdentifier: v.optional(v.string()) }))) }),
);

/**
 * Returns the ids of the records that a function reported as failed, by Lambda's rules: an empty response is success;
 * an invalid one, or an id that was not in the batch, fails all of them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function failedIds(response: unknown, ids: readonly string[]): ReadonlySet<string> {
  const parsed = v.safeParse(Response, response);
  if (!parsed.success) return new Set(ids);
  const failed = (parsed.output?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier ?? '');
  return new Set(failed.every((id) => ids.includes(id)) ? failed : ids);
}

import { isRecord } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';

/** A method of the API, as declared. */
interface DeclaredMethod {
  readonly httpMethod: string;
  readonly resourcePath: string;
}

/** Returns whether a method takes one more request now. */
export type StageThrottle = (method: DeclaredMethod) => boolean;

/** Requests per second in the long run, and how many at once. */
interface Limits {
  readonly rate: number;
  readonly burst: number;
}

const ALL_METHODS = '/* *';

/**
 * Throttles requests as the stage of the template says, with a token bucket for each method: API Gateway applies the
 * limits of a stage to each of its methods, also those that are the same for all.
 *
 * @param now milliseconds
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
export function stageThrottle(template: Template, now = () => performance.now()): StageThrottle {
  const limits = readLimits(template);
  const buckets = new Map<string, () => boolean>();
  return ({ httpMethod, resourcePath }) => {
    const key = `${resourcePath} ${httpMethod}`;
    const limit = limits.get(key) ?? limits.get(ALL_METHODS);
    if (limit === undefined) return true;
    const takeToken = buckets.get(key) ?? tokenBucket(limit, now);
    buckets.set(key, takeToken);
    return takeToken();
  };
}

function readLimits(template: Template): ReadonlyMap<string, Limits> {
  const settings = template.ofType('AWS::ApiGateway::Stage')[0]?.properties.MethodSettings;
  const read = (Array.isArray(settings) ? settings : []).filter(isRecord).flatMap((setting) => {
    const { ResourcePath, HttpMethod, ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = setting;
    if (rate === undefined || burst === undefined) return [];
    const key = `${decodedPath(String(ResourcePath))} ${HttpMethod}`;
    return [[key, { rate: Number(rate), burst: Number(burst) }] as const];
  });
  return new Map(read);
}

/** `/~1orders~1{id}` is `/orders/{id}`, `/` the root, and `/*` stands for all. */
function decodedPath(path: string): string {
  return path.includes('~1') ? path.slice(1).replaceAll('~1', '/') : path;
}

/** Returns whether one more is admitted now. `now` is in milliseconds. */
export function tokenBucket({ rate, burst }: Limits, now = () => performance.now()): () => boolean {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const at = now();
    tokens = Math.min(burst, tokens + ((at - filledAt) / 1000) * rate);
    filledAt = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

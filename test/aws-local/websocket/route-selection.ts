import { OperatorError } from '../../../lib/files/errors.ts';
import { isRecord } from '../template/intrinsics.ts';

/** Returns the route key in a message; undefined when there is none, which selects `$default`. */
export type SelectRoute = (body: string) => string | undefined;

/** Route keys that a message must not select. */
const RESERVED = new Set(['$connect', '$disconnect', '$default']);

/**
 * Compiles an API's `RouteSelectionExpression`: `$request.body.action`, also deeper and in braces.
 *
 * @throws OperatorError for any other form
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-routes.html
 */
export function selectRoute(expression: string): SelectRoute {
  const [, path] = /^\$\{?request\.body\.([\w.-]+)\}?$/.exec(expression) ?? [];
  if (path === undefined) throw new OperatorError(`routes cannot be selected by ${expression} locally`);
  const fields = path.split('.');
  return (body) => {
    const value = fields.reduce<unknown>(
      (part, field) => (isRecord(part) ? ownField(part, field) : undefined),
      json(body),
    );
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    return RESERVED.has(String(value)) ? undefined : String(value);
  };
}

function ownField(record: Record<string, unknown>, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { rendered } from '../api/answers.ts';
import { allowedOrigin, corsHeaders, originsIn, preflightAnswer } from '../api/origins.ts';
import { header, requestUuid } from './request-uuid.ts';

/** The part of an event that says from which page it comes, and which pages may read the answers. */
type FromPage = Pick<APIGatewayProxyEvent, 'headers'> & Partial<Pick<APIGatewayProxyEvent, 'stageVariables'>>;

/**
 * Returns the origin of the page that sends a request, when the operator allows its pages to (`AllowedOrigins`, a
 * variable of the stage: a change of it needs no new deployment of the API); null for all others.
 */
export function eventOrigin({ headers, stageVariables }: FromPage): string | null {
  return allowedOrigin(header(headers, 'origin'), originsIn(stageVariables?.allowedOrigins ?? ''));
}

/** Returns the middleware that lets the pages of allowed origins read answers, and answers their preflight requests. */
export function cors(): MiddlewareObj<APIGatewayProxyEvent, Pick<APIGatewayProxyResult, 'headers'>> {
  const addHeaders = ({ event, response }: { event: APIGatewayProxyEvent; response: unknown }) => {
    const origin = eventOrigin(event);
    if (origin === null || !isAnswer(response)) return;
    response.headers = { ...response.headers, ...corsHeaders(origin, response.headers?.vary) };
  };
  return {
    before: ({ event }) => {
      const origin = eventOrigin(event);
      if (origin === null || event.httpMethod !== 'OPTIONS') return undefined;
      const { status, headers } = rendered(preflightAnswer(origin), requestUuid(event));
      return { statusCode: status, headers, body: '' };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

function isAnswer(response: unknown): response is { headers?: Record<string, string> } {
  return typeof response === 'object' && response !== null;
}

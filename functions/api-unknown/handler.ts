import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { publicUrl } from '../adapters/connect/public-url.ts';
import { httpTrigger } from '../triggers/http.ts';
import { answerUnknown } from './unknown.ts';

// Endpoints do not care at which resource of the gateway they are; this one knows nothing else.
export const handler = (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
  httpTrigger((request) => answerUnknown({ ...request, resource: event.resource }), publicUrl())(event, context);

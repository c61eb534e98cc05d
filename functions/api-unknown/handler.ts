import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { answerUnknown } from './unknown.ts';

const { publicUrl } = connect();

// Other endpoints do not read the event's `resource`; this one finds the allowed methods by it.
export const handler = (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
  httpTrigger((request) => answerUnknown({ ...request, resource: event.resource }), publicUrl)(event, context);

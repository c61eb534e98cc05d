import { streamTrigger } from '../triggers/stream.ts';
import { connect } from './connect.ts';
import { serve } from './serve.ts';

const { publicUrl, ...ports } = connect();

export const handler = streamTrigger(serve(ports), publicUrl);

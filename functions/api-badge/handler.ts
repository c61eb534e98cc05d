import { httpTrigger } from '../triggers/http.ts';
import { badge } from './badge.ts';
import { connect } from './connect.ts';

const { log, publicUrl } = connect();

export const handler = httpTrigger(badge(log), publicUrl);

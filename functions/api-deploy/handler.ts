import { connectDeploy } from '../adapters/connect/deploy.ts';
import { publicUrl } from '../adapters/connect/public-url.ts';
import { httpTrigger } from '../triggers/http.ts';
import { deploy } from './deploy.ts';

export const handler = httpTrigger(deploy(connectDeploy()), publicUrl());

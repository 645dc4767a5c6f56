import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../scripts/trial/page.ts';
import { inWorld } from '../world/world.ts';

let chromium: Browser;

beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium.close());

test('the front page is written by the same strict rules as the pages for signing in', async () => {
  await inWorld(async (world) => {
    const { headers } = await fetch(world.url);
    const policy = headers.get('content-security-policy')!;
    expect(policy).not.toContain('unsafe');
    for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(rule);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
  });
});

test('a browser shows the front page as meant, on a phone too, and complains of nothing', async () => {
  const context = await chromium.newContext({ viewport: { width: 320, height: 640 } });
  try {
    await inWorld(async (world) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(world.url);
      await page.getByRole('heading', { name: 'AgentWorks' }).waitFor();
      expect(await page.title()).toMatch(/^AgentWorks/);
      // What the policy would hold back is in force.
      expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).toBe('544px');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      expect(complaints).toEqual([]);
    });
  } finally {
    await context.close();
  }
});

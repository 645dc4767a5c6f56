import { settings } from '../../server/core/config.ts';

/** The page with the settings that the server reads; the formatter aligns the table. */
export function withSettings(page: string): string {
  const rows = Object.entries(settings).map(
    ([name, setting]) => `| \`${name}\` | ${setting.default} | ${setting.why} |`,
  );
  const table = ['| Setting | Default | What for |', '| --- | --- | --- |', ...rows].join('\n');
  return page.replace(/(<!-- settings:.*-->\n)[^]*?(<!-- \/settings -->)/, `$1\n${table}\n\n$2`);
}

/** Apart from how its tables are aligned. */
export const hasSettings = (page: string): boolean => flat(page) === flat(withSettings(page));

const flat = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');

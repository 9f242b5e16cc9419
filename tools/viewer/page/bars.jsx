// A table of names and numbers with a bar for each.
import { visible } from './text.js';

/**
 * @param {{rows: {name: string, value: number, of?: number}[], format: (n: number) => string,
 *   label: string}} props
 */
export function Bars({ rows, format, label }) {
  const most = Math.max(1, ...rows.map((row) => Math.max(row.value, row.of ?? 0)));
  const sum = rows.reduce((total, row) => total + row.value, 0) || 1;
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row"><bdi>{visible(row.name)}</bdi></th>
            <td class="barcell" aria-hidden="true">
              {row.of !== undefined &&
                <span class="bar-of" style={{ width: `${(100 * row.of) / most}%` }} />}
              <span class="bar-value" style={{ width: `${(100 * row.value) / most}%` }} />
            </td>
            <td class="number">{format(row.value)}</td>
            <td class="number muted">
              {((100 * row.value) / sum).toFixed(row.value < sum / 10 ? 1 : 0)} %
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

"use strict";
// Areas of one ranking, their influence-function variance and the worth of wants: a port of aucstudy.metrics.
const Areas = (() => {
  const NAMES = ["auroc", "aupr", "average_precision", "auprg", "aucnpr"];

  // Groups of tied rows from the highest score on: d positives and e negatives below t and f.
  function groupsOf(positive, scores, weights) {
    const n = scores.length, columns = [0, 1, 2, 3].map(() => new Float64Array(n)), ranked = Float64Array.from(scores).sort();
    const [t, f, d, e] = columns, distinct = ranked.filter((score, i) => !i || score !== ranked[i - 1]).reverse();
    const size = distinct.length;
    for (let i = 0; i < n; i++) {
      let low = 0, high = size - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (distinct[middle] > scores[i]) low = middle + 1; else high = middle;
      }
      (positive[i] ? d : e)[low] += weights ? weights[i] : 1;
    }
    let P = 0, N = 0;
    for (let g = 0; g < size; g++) {
      t[g] = P; f[g] = N;
      P += d[g]; N += e[g];
    }
    const [ts, fs, ds, es] = columns.map(column => column.slice(0, size));
    return { t: ts, f: fs, d: ds, e: es, size, P, N };
  }

  // The same ROC curve where so large a share is positive.
  function atPrevalence(groups, prevalence) {
    const scale = groups.P * (1 - prevalence) / prevalence / groups.N;
    const scaled = column => column.map(count => count * scale);
    return { ...groups, f: scaled(groups.f), e: scaled(groups.e), N: groups.N * scale };
  }

  // Precision integrated over the true positives of a group (Keilwagen, Grosse and Grau 2014).
  function precisionTerm(t, f, d, e) {
    const q = t + f, m = d + e;
    if (q === 0) return d * d / m;
    const log = Math.log1p(m / q);
    return d / m * (d * (1 - log * q / m) + t * log);
  }

  function aupr({ t, f, d, e, size, P }, low = 0, high = 1) {
    let sum = 0;
    for (let g = 0; g < size; g++) {
      const start = Math.max(t[g], low * P), stop = Math.min(t[g] + d[g], high * P);
      if (stop <= start) continue;
      const before = (start - t[g]) / d[g], share = (stop - start) / d[g];
      sum += precisionTerm(start, f[g] + e[g] * before, stop - start, e[g] * share);
    }
    return sum / P;
  }

  const minimum = ({ P, N }, low = 0, high = 1) => aupr({ t: [0], f: [N], d: [P], e: [0], size: 1, P }, low, high);

  function auprg({ t, f, d, e, size, P, N }) {
    const start = P * P / (P + N), odds = P / N;
    let area = 0;
    for (let g = 0; g < size; g++) {
      const end = t[g] + d[g], from = Math.max(t[g], start);
      if (!d[g] || end <= start) continue;
      const loss = odds * ((f[g] + e[g] * (from - t[g]) / d[g]) / from + (f[g] + e[g]) / end) / 2;
      area += odds * P * (1 / from - 1 / end) * (1 - loss);
    }
    return area;
  }

  // The five areas by name; null where a class is missing.
  function areas(groups, [low, high] = [0, 1]) {
    const { t, f, d, e, size, P, N } = groups;
    if (!(P > 0 && N > 0)) return Object.fromEntries(NAMES.map(name => [name, null]));
    let pairs = 0, steps = 0;
    for (let g = 0; g < size; g++) {
      if (!d[g]) continue;
      pairs += d[g] * (N - f[g] - e[g] / 2);
      steps += d[g] * (t[g] + d[g]) / (t[g] + d[g] + f[g] + e[g]);
    }
    const area = aupr(groups, low, high), floor = minimum(groups, low, high);
    return { auroc: pairs / P / N, aupr: area, average_precision: steps / P, auprg: auprg(groups),
      aucnpr: (area - floor) / (high - low - floor) };
  }

  // Derivatives of a group's term in AUROC, AUPR, average precision and AUPRG by t, f, d, e.
  function slopesOf(t, f, d, e, P, N) {
    const t1 = t + d, f1 = f + e, q = t + f, m = d + e, q1 = q + m;
    const rising = d * f1 / (q1 * q1) / P, descending = -d * t1 / (q1 * q1) / P;
    const auroc = [0, -d / (P * N), (N - f - e / 2) / (P * N), -d / 2 / (P * N)];
    const steps = [rising, descending, t1 / q1 / P + rising, descending];
    return [auroc, precisionSlopes(t, f, d, e, q, m, P), steps, gainSlopes(t, f, d, e, t1, f1, P, N)];
  }

  function precisionSlopes(t, f, d, e, q, m, P) {
    if (q === 0) return [0, 0, (2 - d / m) * d / m / P, -d * d / (m * m) / P];
    const z = m / q, a = 1 / (1 + z) / (q * q);
    let log = Math.log1p(z), b = (log - z / (1 + z)) / (m * m), c = (z - 2 * log + z / (1 + z)) * q / (m * m * m);
    if (z < .01) {
      b = (1 / 2 - z * (2 / 3 - z * (3 / 4 - z * (4 / 5 - z * 5 / 6)))) / (q * q);
      c = (1 / 3 - z * (2 / 4 - z * (3 / 5 - z * (4 / 6 - z * 5 / 7)))) / (q * q);
    }
    const precision = d / m + (t - d * q / m) * log / m;
    return [d * (f * a + e * b), -d * (t * a + d * b), precision + d * (f * b + e * c), -d * (t * b + d * c)]
      .map(slope => slope / P);
  }

  function gainSlopes(t, f, d, e, t1, f1, P, N) {
    const k = P / N, start = P * P / (P + N);
    if (t1 <= start) return [0, 0, 0, 0];
    const cut = t <= start, share = cut ? (start - t) / d : 0, f0 = f + e * share;
    const v0 = 1 / (cut ? start : t), v1 = 1 / t1, width = k * P * (v0 - v1), mean = k * (f0 * v0 + f1 * v1) / 2;
    const byV0 = k * P * mean + width * k * f0 / 2, byV1 = -k * P * mean + width * k * f1 / 2;
    const byF0 = width * k * v0 / 2, byF1 = width * k * v1 / 2, byT1 = -byV1 * v1 * v1;
    return cut ? [byF0 * e / d - byT1, -byF0 - byF1, byF0 * e * share / d - byT1, -byF0 * share - byF1]
      : [byV0 * v0 * v0 - byT1, -byF0 - byF1, -byT1, -byF1];
  }

  // Variances of the five areas by influence functions, rows of each class drawn apart; for rows of weight 1.
  function variances({ t, f, d, e, size, P, N }) {
    const toT = [0, 0, 0, 0], toF = [0, 0, 0, 0], ups = toT.map(() => new Float64Array(size)), downs = ups.map(up => up.slice());
    for (let g = size - 1; g >= 0; g--) {
      const slopes = slopesOf(t[g], f[g], d[g], e[g], P, N);
      for (let k = 0; k < 4; k++) {
        const [byT, byF, byD, byE] = slopes[k];
        ups[k][g] = byD + toT[k]; downs[k][g] = byE + toF[k];
        toT[k] += byT; toF[k] += byF;
      }
    }
    const ofClass = (influences, rows, n) => {
      let sum = 0, squares = 0;
      for (let g = 0; g < size; g++) sum += rows[g] * influences[g];
      for (let g = 0; g < size; g++) squares += rows[g] * (influences[g] - sum / n) ** 2;
      return squares * n / (n - 1);
    };
    const [auroc, area, steps, gain] = ups.map((up, k) => ofClass(up, d, P) + ofClass(downs[k], e, N));
    const room = 1 - minimum({ P, N });
    return { auroc, aupr: area, average_precision: steps, auprg: gain, aucnpr: area / room ** 2 };
  }

  // What |t| exceeds with probability .05, by Simpson's rule in t = sqrt(df) tan(angle).
  function tQuantile(df) {
    const steps = 400, density = angle => Math.cos(angle) ** (df - 1);
    const integral = end => {
      let sum = density(0) + density(end);
      for (let i = 1; i < steps; i++) sum += (i % 2 ? 4 : 2) * density(end * i / steps);
      return sum * end / steps / 3;
    };
    // half of the whole integral is sqrt(pi) gamma(df/2) / gamma((df + 1)/2) / 2, by its recurrence
    let half = df % 2 ? Math.PI / 2 : 1;
    for (let k = df % 2 ? 1 : 2; k < df; k += 2) half *= k / (k + 1);
    let low = 0, high = Math.PI / 2;
    if (df > 2) high = Math.min(high, Math.atan(30 / Math.sqrt(df)));
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (integral(middle) < .95 * half) low = middle; else high = middle;
    }
    return Math.sqrt(df) * Math.tan(low);
  }

  // 95 % limits of each area: the package's method "influence"; null where the rows show no spread.
  function limits(groups) {
    const { P, N } = groups, share = P / (P + N), minority = Math.min(P, N);
    if (minority < 2) return Object.fromEntries(NAMES.map(name => [name, null]));
    const values = areas(groups), variance = variances(groups), reach = tQuantile(minority - 1);
    const floors = { aupr: minimum(groups), auprg: (1 - 1 / share) / 2 };
    return Object.fromEntries(NAMES.map(name => {
      const sd = Math.sqrt(variance[name]), floor = floors[name] ?? 0;
      if (name === "auprg" && minority * share < 1) return [name, [floor, 1]];
      return [name, sd <= 1e-10 ? null
        : [Math.max(values[name] - reach * sd, floor), Math.min(values[name] + reach * sd, 1)]];
    }));
  }

  // The highest worth of a threshold for a want, as aucstudy.metrics.wants defines them.
  function worth({ t, f, d, e, size, P, N }, kind, x) {
    let best = kind === "cost" ? Math.max(0, x * P - N) : 0;
    if (kind === "precision" && x < 1) x *= P + N;
    if (kind === "precision") x = Math.min(x, P + N);
    for (let g = 0; g < size; g++) {
      const t1 = t[g] + d[g], f1 = f[g] + e[g];
      if (kind === "precision") {
        const inside = Math.min((x - t[g] - f[g]) / (d[g] + e[g]), 1);
        if (inside > 0) best = (t[g] + inside * d[g]) / x;
        continue;
      }
      const value = kind === "f" ? (1 + x * x) * t1 / (t1 + f1 + x * x * P)
        : kind === "recall" ? (t1 >= x * (t1 + f1) ? t1 / P : 0)
          : kind === "net" ? (t1 - x * f1) / P : x * t1 - f1;
      if (value > best) best = value;
    }
    return kind === "cost" ? 1 - (x * P - best) / Math.min(x * P, N) : best;
  }

  return { NAMES, groupsOf, atPrevalence, areas, aupr, limits, worth };
})();
if (typeof module !== "undefined") module.exports = Areas;

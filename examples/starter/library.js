// The functions of a library under the names of the starter set. Some of them are wrong.
function check(number) {
  if (!(number > 0 && number < Infinity)) throw new Error(`expected a positive number, got ${number}`);
}

const exponential1 = () => -Math.log(1 - Math.random());

function laplace({ value, epsilon, sensitivity }) {
  check(epsilon);
  check(sensitivity);
  return value + (sensitivity / epsilon) * (exponential1() - exponential1());
}

function exponential({ scores, epsilon, sensitivity }) {
  // Wrong: the 2 of exp(epsilon score / (2 sensitivity)) is missing.
  const weights = Object.values(scores).map((score) => Math.exp((epsilon * score) / sensitivity));
  let rest = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  return Object.keys(scores).find((name, index) => (rest -= weights[index]) <= 0);
}

function gaussian_sigma({ epsilon, delta, sensitivity }) {
  // Wrong: this formula holds for epsilon < 1 only.
  return (sensitivity * Math.sqrt(2 * Math.log(1.25 / delta))) / epsilon;
}

function map_sum({ rows, lower, upper }) {
  // Wrong: not-a-number stays not-a-number.
  return rows.reduce((sum, row) => sum + Math.min(Math.max(row, lower), upper), 0);
}

module.exports = { laplace, exponential, gaussian_sigma, map_sum };

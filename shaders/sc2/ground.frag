// Up to eight textures, mixed by the weights of the masks.
#include "surface.glsl"

PASS uniform sampler2D mask_a;
PASS uniform sampler2D mask_b;
PASS uniform sampler2DShadow shadow_map;
MATERIAL uniform sampler2DArray ground_layers;

in vec3 world;
in vec3 normal;
in vec2 uv;
in float brightness;

out vec4 out_scene;

void main() {
    vec4 low = texture(mask_a, uv);
    vec4 high = texture(mask_b, uv);
    float weights[8] = float[8](low.r, low.g, low.b, low.a, high.r, high.g, high.b, high.a);
    vec2 at = world.xy / params.ground_repeat;
    // Derivatives are taken outside the branch, where all neighbours take part.
    vec2 dx = dFdx(at);
    vec2 dy = dFdy(at);
    vec3 color = vec3(0.0);
    float sum = 0.0;
    for (int i = 0; i < 8; ++i) {
        if (weights[i] > 0.004) {
            color += textureGrad(ground_layers, vec3(at, float(i)), dx, dy).rgb * weights[i];
            sum += weights[i];
        }
    }
    color /= max(sum, 1e-3);
    if (params.vertex_brightness) {
        color *= brightness;
    }
    vec3 lit = color * light(normalize(normal), shadow(world, shadow_map));
    out_scene = vec4(fog(lit, world.z), 1.0);
}
